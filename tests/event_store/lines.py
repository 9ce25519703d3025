"""A recorded line: a leaf, and the hash that it had when it was recorded."""

from msgspec import Raw, Struct


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf, and the hash that it had when it was recorded."""

    hash: str
    leaf: Raw

    @property
    def data(self) -> bytes:
        return bytes(self.leaf)
