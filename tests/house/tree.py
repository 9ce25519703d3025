"""Lists the repository's files, for the tests of its conventions."""

import ast
import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_OURS = {".git", ".venv", "build", "dist", "chiptrail-data", "__pycache__"}


@cache
def modules(folder: str, having: str = "") -> Mapping[str, ast.Module]:
    """Return the parsed modules under *folder* whose text has *having*, by their paths."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*.py"))}
    return {str(path.relative_to(ROOT)): parsed(text) for path, text in texts.items() if having in text}


@cache
def parsed(text: str) -> ast.Module:
    """Return the parsed *text*; each text is parsed only once."""
    return ast.parse(text)


def paths(folder: str) -> list[str]:
    """Return the paths of the modules under *folder*, in order."""
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("*.py"))]


def files() -> list[str]:
    """Return the paths of all committed files; without git, of all files that could be committed."""
    git = shutil.which("git")
    listed = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False) if git else None
    committed = [name for name in os.fsdecode(listed.stdout).split("\0") if name] if listed else []
    return committed or [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.rglob("*"))
        if path.is_file() and not any(part in NOT_OURS or "cache" in part for part in path.relative_to(ROOT).parts)
    ]
