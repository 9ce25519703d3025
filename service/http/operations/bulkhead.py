"""A bulkhead: limits the slots that are taken in total, and by each quota owner (DECISIONS 21 and 55)."""

from collections import Counter
from typing import Final

from msgspec import Struct

KEYLESS: Final = "everybody without a key"
"""The quota owner of all requests without a key together."""


class Limits(Struct, frozen=True):
    """*in_all* is the number of slots, and *each* is the maximum number of slots that one quota owner may take.

    `KEYLESS` may take at most *keyless* slots. So requests without a key, even from many addresses, leave slots for
    holders of keys. If *keyless* is 0, the maximum for `KEYLESS` is *in_all*.
    """

    in_all: int
    each: int
    keyless: int = 0

    def of(self, quota_owner: str) -> int:
        """Return the maximum number of slots that *quota_owner* may take."""
        return (self.keyless or self.in_all) if quota_owner == KEYLESS else self.each


class Bulkhead:
    """Counts the slots that are taken. Not thread-safe: the caller must hold a lock."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.slots_taken = 0
        self._by_owner: Counter[str] = Counter()

    def full_for(self, quota_owners: tuple[str, ...]) -> str | None:
        """Return "" if all slots are taken, else the first of *quota_owners* that has its maximum already, else None.

        A request can count against several quota owners, such as an owner and an address. So a caller gains no slot by
        changing only its key or only its address.
        """
        if self.slots_taken >= self.limits.in_all:
            return ""
        return next((one for one in quota_owners if self._by_owner[one] >= self.limits.of(one)), None)

    def enter(self, quota_owners: tuple[str, ...]) -> None:
        """Take one slot, which counts against each of *quota_owners*."""
        self.slots_taken += 1
        self._by_owner.update(quota_owners)

    def leave(self, quota_owners: tuple[str, ...]) -> None:
        """Free a slot that *quota_owners* took."""
        self.slots_taken -= 1
        for quota_owner in quota_owners:
            self._by_owner[quota_owner] -= 1
            if not self._by_owner[quota_owner]:
                del self._by_owner[quota_owner]
