"""What a server is told so that its SQLite is traced and can be made to fail; all of it lies in its data folder."""

from pathlib import Path
from typing import Final

from tests.faults.vfs import FAILING, TRACE
from tests.house.tree import ROOT

_TRACED: Final = Path(__file__).with_name("traced")


def of(data: Path) -> dict[str, str]:
    """Return the variables that have a server in the folder *data* traced."""
    return {"PYTHONPATH": f"{_TRACED}:{ROOT}", TRACE: str(trace(data)), FAILING: str(failing(data))}


def trace(data: Path) -> Path:
    """Return where the trace is."""
    return data / "trace"


def failing(data: Path) -> Path:
    """Return the file that says how writing fails, while it is there."""
    return data / "failing"


def loose(data: Path) -> Path:
    """Return the file that, while it is there, has commits not synced."""
    return data / "loose"
