"""A flow: what one player gave to another."""

from typing import TypeAlias

Flow: TypeAlias = tuple[int, int, float]
"""A seat that gave, a seat that got, and the amount, in chips or points."""
