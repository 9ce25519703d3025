"""A transfer: a whole number of chips or points that moves from one account to another, by a rule or ruling."""

from msgspec import Struct

CHIPS = "chips"
POINTS = "points"


class Transfer(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """*amount* whole units (above zero) move from *source* to *target* because of *rule*.

    As JSON, a transfer is the array [source, target, amount, unit, rule] (`log/v1`).
    """

    source: str
    target: str
    amount: int
    unit: str
    rule: str


def chips(source: str, target: str, amount: int, *, rule: str) -> Transfer:
    """Return a transfer of *amount* chips from *source* to *target* because of *rule*."""
    return Transfer(source, target, amount, CHIPS, rule)


def points(source: str, target: str, amount: int, *, rule: str) -> Transfer:
    """Return a transfer of *amount* points from *source* to *target* because of *rule*."""
    return Transfer(source, target, amount, POINTS, rule)
