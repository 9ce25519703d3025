"""The loads for a table of Bankrupt, and a fact that a dry run must not disclose: whether a hold ends the game."""

from collections.abc import Callable, Mapping
from math import lcm
from random import Random
from typing import Final

from msgspec import Struct
from sqlalchemy import Engine

from service.bench import headless
from service.bench.headless import HeadlessService, Table
from service.bench.loads import Body, Loads, Move
from service.bench.trials import HiddenFact, Sides
from service.database.engines import reading
from service.games import CURRENT
from service.games.bankrupt.commands import HoldCards
from service.games.bankrupt.events import RoundEnded
from service.games.bankrupt.state import Phase
from service.games.common_events import GameEnded
from service.games.game import seat_actor
from service.play.known import FreshDecks, LiveKnown
from service.tables.fold import TableAt
from service.tables.sealed_store import TableUnsealer

_GAME: Final = CURRENT["bankrupt"]
SEATS: Final = 4
BUY_IN: Final = 1_000_000  # large enough that no load ends a game, and no stack limits a move


class _Turn(Struct, frozen=True):
    """A command of *kind* by the player who sits *left* seats to the left of the dealer (0: by the dealer)."""

    left: int
    kind: str
    members: Body = {}


_DEALER: Final = 0
_DEAL: Final = _Turn(_DEALER, "deal_hand")
_ALL_HOLD: Final = tuple(_Turn(left, "hold_cards") for left in (1, 2, 3, _DEALER))

_STEADY: Final = ((_DEAL, *_ALL_HOLD, *(_Turn(left, "pass_upping") for left in (1, 2, 3))),)

# A seat throws in once in four rounds, so never in two rounds in a row (B11.3 has the limit). Offers go up to six
# pieces (B12.5), and every player has enough pieces to accept each offer.
_MIXED: Final = (
    (
        _DEAL,
        _Turn(1, "exchange_card", {"card": 1}),
        _Turn(2, "hold_cards"),
        _Turn(3, "throw_in"),
        _Turn(_DEALER, "exchange_card", {"card": 2}),
        _Turn(1, "offer_upping", {"chips": 3}),
        _Turn(2, "accept_upping"),
        _Turn(_DEALER, "decline_upping"),
        _Turn(2, "offer_upping", {"chips": 2}),
        _Turn(_DEALER, "accept_upping"),
    ),
    (
        _DEAL,
        _Turn(1, "hold_cards"),
        _Turn(2, "exchange_card", {"card": 2}),
        _Turn(3, "hold_cards"),
        _Turn(_DEALER, "hold_cards"),
        _Turn(1, "pass_upping"),
        _Turn(2, "offer_upping", {"chips": 1}),
        _Turn(3, "decline_upping"),
        _Turn(_DEALER, "decline_upping"),  # All have declined, which ends the upping (B12.3).
    ),
    (
        _DEAL,
        *_ALL_HOLD,
        _Turn(1, "offer_upping", {"chips": 6}),
        _Turn(2, "accept_upping"),
        _Turn(3, "accept_upping"),
        _Turn(_DEALER, "decline_upping"),
        _Turn(2, "offer_upping", {"chips": 6}),
        _Turn(3, "accept_upping"),
        _Turn(_DEALER, "accept_upping"),
        _Turn(3, "pass_upping"),
    ),
    (
        _DEAL,
        _Turn(1, "throw_in"),
        _Turn(2, "throw_in"),
        _Turn(3, "throw_in"),  # Only the dealer is left (B11.4).
    ),
)

_ROUNDS: Final = {"steady": _STEADY, "mixed": _MIXED}
"""The load "steady" has deals, holds and passes; "mixed" also has exchanges, offers with answers, and throw-ins."""


def cycle(load: str, dealer: int) -> tuple[Move, ...]:
    """Return the moves of *load*; *dealer* deals the first round.

    After the last move, *dealer* is due to deal again, so the same moves can follow. The deal passes to the next seat
    after each round, whatever its outcome is (B5.2).
    """
    rounds = _ROUNDS[load]
    return tuple(
        Move((dealer + number + turn.left - 1) % SEATS + 1, {"type": turn.kind, **turn.members})
        for number in range(lcm(len(rounds), SEATS))
        for turn in rounds[number % len(rounds)]
    )


LOADS: Final = Loads(names=tuple(_ROUNDS), options={"buy_in": BUY_IN}, seats=SEATS, cycle=cycle)

_MOST_TABLES: Final = 1_000
_FIRST: Final = 1  # the dealer has the same seat at both tables, so that no public fact differs
_CHIPS: Final = 11  # so few that a player is soon on last legs; then no upping follows, and a hold settles the round


def with_a_last_hold(engine: Engine) -> Sides:
    """Return two dry runs of a dealer's hold that settles a round: one hold ends the game, the other does not."""
    service, found = HeadlessService(engine), dict[bool, Callable[[], None]]()
    for number in range(1_000, 1_000 + _MOST_TABLES):
        table = Table(service, number, {"buy_in": _CHIPS}, game=_GAME, seats=2)
        dice = Random(number)
        while (table_at := table.table_at).state.status == "playing":
            ends = _ends_game(service, table_at)
            if ends is not None and ends not in found:
                found[ends] = table.trial(seat_actor(table_at.state.dealer), HoldCards(by=""))
                break
            seat, move = headless.random_move(table_at, dice)
            table.do(seat_actor(seat), move)
        if len(found) == len(Sides._fields):
            return Sides(is_so=found[True], is_not=found[False])
    raise LookupError("no such hold was found")


HIDDEN_FACTS: Final[Mapping[str, HiddenFact]] = {"last_hold": with_a_last_hold}


def _ends_game(service: HeadlessService, table_at: TableAt) -> bool | None:
    """Return whether a hold by the dealer would end the game (True) or only the round (False).

    Return None if the hold would end neither the game nor the round, if no hold of the dealer is due, or if the
    dealer's seat is not `_FIRST`.
    """
    state = table_at.state
    by = seat_actor(state.dealer)
    if state.dealer != _FIRST or state.phase is not Phase.DECIDING or table_at.due != (by,):
        return None
    with reading(service.engine) as connection:
        unsealer = TableUnsealer(service.sealed_store, lambda: connection, table_at)
        known = LiveKnown(unsealer, FreshDecks(headless.Repeatable(), service.sealed_store.shuffle))
        kinds = {type(event) for event in table_at.game.decide(state, HoldCards(by=by), known).events}
    return GameEnded in kinds if RoundEnded in kinds else None
