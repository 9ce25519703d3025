"""Payouts: transfers with the reason for each."""

from msgspec import Struct

from service.cards import Face
from service.ledger import Transfer


class Payout(Struct, frozen=True):
    """Why *amount* went from *source* to *target*.

    *cards* are the faces compared, *formula* says how they make the amount.
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
    """Return *transfer* with the reason for it."""
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
