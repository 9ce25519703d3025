"""The ticks of an axis: a few round numbers."""

from typing import Final

_MOST: Final = 5


def ticks(low: int, high: int) -> tuple[int, ...]:
    """Return at most five numbers from *low* to *high*: the multiples of one step, which is 1, 2 or 5 times 10**n."""
    step = 1
    while (high // step) - (-(-low // step)) + 1 > _MOST:
        step = _next(step)
    first = -(-low // step) * step
    return tuple(range(first, high + 1, step))


def _next(step: int) -> int:
    leading = int(str(step)[0])
    return step * 5 // 2 if leading == 2 else step * 2  # noqa: PLR2004 -- 1, 2, 5, 10, 20 and so on
