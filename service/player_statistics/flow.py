"""A flow: what one player gave to another."""

from typing import TypeAlias

Flow: TypeAlias = tuple[int, int, float]
"""The seat that gave, the seat that got, and the amount, in chips or points."""
