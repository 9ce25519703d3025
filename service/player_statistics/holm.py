"""Holm's correction for the number of tests."""

from collections.abc import Sequence


def adjusted(chances: Sequence[float]) -> list[float]:
    """Return the adjusted chance of each of *chances*, in their order (Holm 1979).

    If a report rejects each hypothesis whose adjusted chance is at most x, the chance that it rejects any true
    hypothesis is at most x. This holds even if the tests depend on each other.
    """
    found = [1.0] * len(chances)
    least = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - rank) * chances[index]))
        found[index] = least
    return found
