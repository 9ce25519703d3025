"""A bulkhead: places that are limited in all, and for each party that takes them."""

from collections import Counter

from msgspec import Struct


class Limits(Struct, frozen=True):
    """How many places there are: so many in all, and at most so many for *each* party."""

    in_all: int
    each: int


class Bulkhead:
    """Counts the places that are taken. It has no lock: its owner holds one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.slots_taken = 0
        self._held: Counter[str] = Counter()

    def full_for(self, quota_owners: tuple[str, ...]) -> str | None:
        """Return the first of *quota_owners* that has its share already; "": all places are taken; None: there is a place.

        Somebody who takes a place is several parties at once, such as an owner and an address. Each of them counts,
        so nobody gains a place by changing one of them.
        """
        if self.slots_taken >= self.limits.in_all:
            return ""
        return next((party for party in quota_owners if self._held[party] >= self.limits.each), None)

    def enter(self, quota_owners: tuple[str, ...]) -> None:
        """Take a place for all of *quota_owners*."""
        self.slots_taken += 1
        self._held.update(quota_owners)

    def leave(self, quota_owners: tuple[str, ...]) -> None:
        """Give back a place that *quota_owners* took."""
        self.slots_taken -= 1
        for party in quota_owners:
            self._held[party] -= 1
            if not self._held[party]:
                del self._held[party]
