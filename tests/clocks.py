"""A clock for tests: only the test advances its monotonic time, so the test does not depend on timing."""

from service.entropy import Entropy


class Clock(Entropy):
    """A clock whose monotonic time only the test advances; the date, ids and random values are real."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds
