"""Where a command writes: results on standard output, all else beside it; colour on a terminal alone."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.markup import escape as escaped
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["escaped", "progress_bar", "stderr", "stdout"]

_NOT_CUT: Final = 500  # characters: a file or a pipe has no edge

stdout: Final = Console(highlight=False, width=None if sys.stdout.isatty() else _NOT_CUT)
stderr: Final = Console(stderr=True, highlight=False)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of *what* on standard error, where that is a terminal; yield what is told how many of how many."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr, disable=not stderr.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
