"""Payouts: transfers, each with its reason."""

from msgspec import Struct

from service.cards import Face
from service.ledger import Transfer


class Payout(Struct, frozen=True):
    """A transfer of *amount* from *source* to *target*, and its reason.

    *formula* says how the amount follows from the compared *cards*.
    """

    source: str
    target: str
    amount: int
    unit: str
    rule: str
    ruling: str = ""
    formula: str = ""
    cards: tuple[Face, ...] = ()


def payout(transfer: Transfer, ruling: str = "", formula: str = "", cards: tuple[Face, ...] = ()) -> Payout:
    """Return *transfer* with its reason."""
    return Payout(
        source=transfer.source,
        target=transfer.target,
        amount=transfer.amount,
        unit=transfer.unit,
        rule=transfer.rule,
        ruling=ruling,
        formula=formula,
        cards=cards,
    )
