"""The clock of tests: it advances only when the test advances it, so no test depends on timing."""

from service.entropy import Entropy


class Clock(Entropy):
    """A clock that advances only when the test advances it; random values and the wall time are real."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds
