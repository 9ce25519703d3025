"""The memory of a table, as far as every game shares it."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from service.games.commands import Visibility
from service.games.events import (
    CardsBottomed,
    CardsDealt,
    CardsShown,
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    GameEnded,
    GameStarted,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableEvent,
    TableOpened,
)
from service.games.game import Event
from service.ledger import Balances, post

Status = Literal["new", "open", "playing", "finished", "closed"]


class TableState(Struct, frozen=True, kw_only=True, gc=False):
    """What is remembered of a table in every game. A game's own state adds to it."""

    table: str
    status: Status = "new"
    game: str = ""
    edition: int = 0
    host: str = ""
    visibility: Visibility = "private"
    seats: int = 0
    currency: str = ""
    worth_minor: int = 0
    time_limit_seconds: int = 0
    players: Mapping[int, str] = {}
    """Owners by seat, in the order of the seats."""
    balances: Balances = {}
    hand: int = 0
    """The number of the hand that is, or was last, played; 0: none yet."""
    hand_is_running: bool = False
    epoch: str = ""
    """The deck in play; empty: none."""
    reserve: str = ""
    """The deck that is opened and not yet fixed; empty: none."""
    epochs: int = 0
    """How many decks were opened."""
    winners: tuple[int, ...] = ()


S = TypeVar("S", bound=TableState)


def holds(state: TableState, account: str) -> int:
    """Return what *account* holds."""
    return state.balances.get(account, 0)


def seat_of(state: TableState, player: str) -> int:
    """Return the seat of *player*; 0: none."""
    return next((seat for seat, owner in state.players.items() if owner == player), 0)


def clockwise(seats: tuple[int, ...], after: int) -> tuple[int, ...]:
    """Walk *seats* (ascending) from the left of the seat *after*; it comes last where it is among them (G.5)."""
    left = bisect_right(seats, after)
    return seats[left:] + seats[:left]


def book(state: S, event: Event) -> S:
    """Book the transfers of *event*."""
    if not event.transfers:
        return state
    return replace(state, balances=post(state.balances, event.transfers)[0])


def evolve(state: S, event: TableEvent) -> S:
    """Remember *event* as far as every table does; its transfers are booked already."""
    match event:
        case TableOpened():
            return replace(
                state,
                status="open",
                game=event.game,
                edition=event.edition,
                host=event.host,
                visibility=event.visibility,
                seats=event.seats,
                currency=event.currency,
                worth_minor=event.worth_minor,
                time_limit_seconds=event.time_limit_seconds,
            )
        case SeatTaken():
            return replace(state, players=dict(sorted({**state.players, event.seat: event.player}.items())))
        case SeatLeft():
            return replace(state, players={s: p for s, p in state.players.items() if s != event.seat})
        case GameStarted():
            return replace(state, status="playing")
        case TableClosed():
            return replace(state, status="closed")
        case GameEnded():
            return replace(state, status="finished", winners=event.winners)
        case DeckOpened():
            return replace(state, reserve=event.epoch, epochs=state.epochs + 1)
        case DeckFixed():
            return replace(state, epoch=event.epoch, reserve="")
        case DeckRevealed():
            return replace(state, epoch="" if event.epoch == state.epoch else state.epoch)
        case DeckUnused():
            return replace(state, reserve="")
        case CardsDealt() | CardsShown() | CardsBottomed():
            return state
