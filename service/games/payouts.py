"""Payouts: transfers, each with its reason."""

from msgspec import Struct

from service.cards import Face
from service.ledger import Transfer


class Payout(Struct, frozen=True):
    """A transfer of *amount* from *source* to *target*, and its reason.

    *formula* says in words how the amount comes about. *cards* are the cards that determine the amount, if any do.
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
    """Return *transfer* as a payout, with its reason."""
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
