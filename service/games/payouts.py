"""Payouts: transfers, each with its reason."""

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from msgspec import Struct

from service.cards import Face
from service.games.game import Event, describe
from service.ledger import Transfer


class Payout(Struct, frozen=True):
    """A transfer of *amount* from *source* to *target*, and its reason.

    *formula* says in words how the amount comes about. *cards* are the cards that determine the amount, if any do.
    """

    source: str
    target: str
    amount: Annotated[int, describe("The amount in whole units; 0: a cap has left nothing of a claim.", 0, 2**53 - 1)]
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


Reason: TypeAlias = tuple[str, str]
"""A ruling and a formula."""

Reasons: TypeAlias = Mapping[type[Event], Reason]
"""The reasons of the types of event that have only one reason for all their transfers."""

BUY_IN_RETURNED: Final[Reason] = ("G.4", "buy-in returned")
"""The reason of the transfers if, before the start, a player leaves or the host closes the table."""


def payouts(event: Event, reasons: Reasons) -> tuple[Payout, ...]:
    """Return the transfers of *event* as payouts, with the reason that *reasons* has for the event's type, if any."""
    ruling, formula = reasons.get(type(event), ("", ""))
    return tuple(payout(transfer, ruling, formula) for transfer in event.transfers)
