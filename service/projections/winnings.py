"""Computes what each owner has won or lost at a table; the owners that a seat had in turn are counted separately."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, text

from service.event_store import leaf
from service.games.common_events import SeatTaken
from service.games.game import type_name
from service.ledger import CHIPS, HOUSE, account_seat, unit_of
from service.projections.swap_guard import require_current_projections


class Holder(Struct, frozen=True, order=True):
    """An owner at a table, and a unit in which the owner won or lost."""

    owner: str
    unit: str


class _Sat(Struct, frozen=True):
    """The members of a `seat_taken` that name the seat and its new owner."""

    seat: int
    player: str


def winnings(
    connection: Connection, stream_id: bytes, players: Mapping[int, str], balances: Mapping[str, int], position: int
) -> dict[Holder, int]:
    """Return what each owner has won (below zero: lost) up to *position*, where the accounts had these *balances*.

    Winnings are the balances of the owner's seat, plus the chips that the house bought from the owner, less the chips
    that the house sold to the owner. *players* has the owner of each seat; it is needed at a table where players take
    seats without buying chips.
    """
    require_current_projections(connection)
    owners, won = dict(players), dict[Holder, int]()

    def add(seat: int, unit: str, amount: int) -> None:
        if owner := owners.get(seat, ""):
            holder = Holder(owner, unit)
            won[holder] = won.get(holder, 0) + amount

    for row in connection.execute(_WITH_HOUSE, {"stream_id": stream_id, "position": position}):
        if (sat := _sat(row.leaf)) is not None:
            owners[sat.seat] = sat.player
        is_sale = row.source == HOUSE
        add(account_seat(row.target if is_sale else row.source), CHIPS, -row.amount if is_sale else row.amount)
    for account, balance in balances.items():
        add(account_seat(account), unit_of(account), balance)
    return won


def _sat(data: bytes) -> _Sat | None:
    try:
        event: Any = leaf.decode(data)
        return _SAT.decode(event.pub) if event.type == _SEAT_TAKEN else None
    except (leaf.Malformed, msgspec.DecodeError):
        return None


_SEAT_TAKEN: Final = type_name(SeatTaken)
_SAT: Final = msgspec.json.Decoder(_Sat)
# The condition is that of the index `ix_transfers_with_house`, word for word, so that the databases use the index
# (DECISIONS 125).
_WITH_HOUSE: Final = text(
    "SELECT t.source, t.target, t.amount, e.leaf FROM transfers AS t"
    " JOIN events AS e ON e.stream_id = t.stream_id AND e.position = t.position"
    " WHERE t.stream_id = :stream_id AND t.position <= :position AND (t.source = 'house' OR t.target = 'house')"
    " ORDER BY t.position, t.ordinal"
)
