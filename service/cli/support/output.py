"""The output of commands: results on standard output, other lines on standard error; colour only on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.markup import escape as escaped
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["escaped", "progress_bar", "stderr", "stdout"]

_WIDTH_OF_FILES: Final = 500  # characters; only longer lines are wrapped in a file or a pipe

stdout: Final = Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)
stderr: Final = Console(stderr=True, highlight=False)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """If standard error is a terminal, show a progress bar there, with the label *what*.

    Yield the function that updates the progress bar, given the number done and the total number.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr, disable=not stderr.is_terminal, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
