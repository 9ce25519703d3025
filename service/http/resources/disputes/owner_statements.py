"""What each owner is owed at a table: winnings, adjustments by corrections, and their sum."""

# DECISIONS 135

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import Connection

from service.disputes import stored_disputes
from service.disputes.dispute_events import CorrectionApproved
from service.disputes.dispute_state import NO_DISPUTES, Account, balances_after
from service.http.request.services import services
from service.ledger import CHIPS
from service.projections import winnings
from service.projections.winnings import Holder
from service.tables.fold import TableAt

_MOST = 2**53 - 1


class OwnerStatement(Struct, frozen=True, kw_only=True):
    """What one owner has won at the table, what corrections have adjusted, and the sum, which the owner is owed."""

    owner: Annotated[str, Meta(pattern="^own_[0-9a-f]{32}$", description="The owner.")]
    unit: str
    winnings: Annotated[int, Meta(ge=-_MOST, le=_MOST, description="What the owner has won in play; below zero: lost.")]
    adjustments: Annotated[
        int,
        Meta(ge=-_MOST, le=_MOST, description="What approved corrections have given to the owner; below zero: taken."),
    ]
    owed: Annotated[
        int,
        Meta(
            ge=-2 * _MOST,
            le=2 * _MOST,
            description="`winnings` plus `adjustments`; below zero: the owner owes this amount.",
        ),
    ]
    owed_minor: Annotated[
        str,
        Meta(
            pattern="^(-?[0-9]{1,27})?$",
            description="`owed` in the minor units of `currency`, as a whole number; empty: the unit has no worth in "
            "money.",
        ),
    ]
    currency: Annotated[
        str,
        Meta(
            pattern="^([A-Z]{3})?$", description="The currency code (ISO 4217); empty: the unit has no worth in money."
        ),
    ]


def owner_statements(
    connection: Connection,
    table_at: TableAt,
    balances: Mapping[str, int],
    position: int,
    *,
    has_later_corrections: bool = False,
) -> tuple[tuple[OwnerStatement, ...], bool]:
    """Return the statement of each owner at *position* of the table, and whether the table has disputes.

    The adjustments come from the corrections that were approved when the table was at *position* or at an earlier
    position and, if *has_later_corrections*, also from the corrections that were approved later.
    """
    stored = stored_disputes.read_disputes(connection, services().desk.log, table_at.stream_id)
    approved = (one.event for one in stored.recorded if isinstance(one.event, CorrectionApproved))
    counted = (event for event in approved if has_later_corrections or event.table_position <= position)
    moved = tuple(one for event in counted for one in event.transfers)
    accounts = balances_after(NO_DISPUTES, moved)
    won = winnings.winnings(connection, table_at.stream_id, table_at.state.players, balances, position)
    return tuple(_statements(table_at, won, accounts)), bool(stored.recorded)


def _statements(
    table_at: TableAt, won: Mapping[Holder, int], adjusted: Mapping[Account, int]
) -> Iterator[OwnerStatement]:
    state = table_at.state
    holders = {*won, *(Holder(account.owner, account.unit) for account in adjusted)}
    for holder in sorted(holders):
        own, adjustments = won.get(holder, 0), adjusted.get(Account(holder.owner, holder.unit), 0)
        has_worth = bool(state.worth_minor) and holder.unit == CHIPS
        yield OwnerStatement(
            owner=holder.owner,
            unit=holder.unit,
            winnings=own,
            adjustments=adjustments,
            owed=own + adjustments,
            owed_minor=str((own + adjustments) * state.worth_minor) if has_worth else "",
            currency=state.currency if has_worth else "",
        )
