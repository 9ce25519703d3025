"""The environment variables and files by which a test traces a server's SQLite, and makes writes fail."""

from pathlib import Path
from typing import Final

from tests.faults.vfs import FAILING, TRACE
from tests.house.tree import ROOT

_TRACED: Final = Path(__file__).with_name("traced")


def of(data: Path) -> dict[str, str]:
    """Return the environment variables with which a server with the folder *data* traces its SQLite."""
    return {"PYTHONPATH": f"{_TRACED}:{ROOT}", TRACE: str(trace(data)), FAILING: str(failing(data))}


def trace(data: Path) -> Path:
    """Return the path of the file with the trace."""
    return data / "trace"


def failing(data: Path) -> Path:
    """Return the path of the file that makes writes fail while the file exists; its content says how they fail."""
    return data / "failing"


def loose(data: Path) -> Path:
    """Return the path of the file that turns off the sync of commits while the file exists."""
    return data / "loose"
