"""The part of a table's state that all games share, and its transitions (DECISIONS 86 and 95)."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias, TypeVar

from msgspec import Struct, convert
from msgspec.structs import replace

from service.games import common_events
from service.games.common_commands import Seeds, Visibility
from service.games.game import Event, SomeType
from service.games.seeds.seed_batch import Batch
from service.ledger import Balances

Status = Literal["new", "open", "playing", "finished", "closed"]
DeckStatus = Literal["in_reserve", "in_play", "replaced"]
"""A new deck is in reserve. Fixing its order puts the deck in play, and replaces a deck that is still in play."""


class TableState(Struct, frozen=True, kw_only=True, gc=False):
    """The state of a table of any game; each game's own state extends this class.

    At a table with players' seeds a batch has DECKS_OF_BATCH decks; the first batch also has DECKS_OF_START decks for
    the draw and other steps before the first hand (G.9).
    """

    DECKS_OF_BATCH: ClassVar[int] = 1
    DECKS_OF_START: ClassVar[int] = 0

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
    dispute_days: int = 30
    """For how many days after a hand's last event the hand may be disputed, once the game is over (D.2)."""
    players: Mapping[int, str] = {}
    """Owners by seat, in the order of the seats."""
    invited: Mapping[int, str] = {}
    """Owners with an open invitation, by the invitation's number at this table, from 1 (G.10)."""
    invitations: int = 0
    """How many invitations this table has made."""
    seatings: Mapping[str, int] = {}
    """How often each owner took a seat since the last hand began; before the first hand, since the start; before the
    start, since the table opened (G.11).
    """
    balances: Balances = {}
    hand: int = 0
    """The number of the current or last hand; 0: no hand yet."""
    hand_is_running: bool = False
    decks: Mapping[str, DeckStatus] = {}
    """The status of each deck whose seed is not revealed, by epoch, in the order of the commitments."""
    decks_opened: int = 0
    """How many decks of this table the service has committed to."""
    winners: tuple[int, ...] = ()
    seeds: Seeds = ""
    """Whose seeds, besides the service's, determine the order of the table's decks (G.9)."""
    batches: Mapping[str, Batch] = {}
    """The batches with decks that are not fixed yet, by name, in the order of the commitments (G.9)."""
    seeds_dropped: Mapping[int, int] = {}
    """How often each seat committed to a seed and had not shown it when time was called (G.9)."""
    batches_dropped: int = 0
    """How many batches were made without players' seeds because a seed was not shown in time (G.9)."""
    drawing: tuple[int, ...] = ()
    """The seats that draw again for the first dealer, once another deck is ready (G.9); meaningless after that draw."""
    signing_keys: Mapping[int, str] = {}
    """The public key (hex) of each seat that has a signing key (G.13)."""

    @property
    def epoch(self) -> str:
        """The epoch of the deck in play; empty: no deck is in play."""
        for epoch, status in self.decks.items():
            if status == "in_play":
                return epoch
        return ""

    @property
    def reserve(self) -> str:
        """The epoch of the deck in reserve that can be fixed next; empty: no deck in reserve can be fixed.

        With players' seeds a deck can be fixed once the seeds of its batch are settled (G.9).
        """
        if self.seeds == "players":
            ready = (batch.decks[0] for batch in self.batches.values() if batch.is_ready and not batch.is_ended)
            return next(ready, "")
        for epoch, status in self.decks.items():
            if status == "in_reserve":
                return epoch
        return ""

    def seeds_of(self, epoch: str) -> Mapping[int, str]:
        """Return the players' seeds, by seat, that go into the deck of *epoch*, which is not fixed yet (G.9)."""
        return next((batch.seeds for batch in self.batches.values() if epoch in batch.decks), {})

    @property
    def seats_in_game(self) -> tuple[int, ...]:
        """The seats that may get cards in the next hands; the service asks these seats for seeds (G.9)."""
        return tuple(self.players)

    @property
    def turns_after(self) -> int:
        """When time is called, decisions are made clockwise from the left of this seat (G.3); 0: from seat 1."""
        return 0

    @property
    def awaits_shuffle(self) -> bool:
        """Whether a game that is under way can go on only with another deck (G.9)."""
        return False


S = TypeVar("S", bound=TableState)


def balance_of(state: TableState, account: str) -> int:
    """Return the balance of *account*, or 0 if no transfer has touched the account."""
    return state.balances.get(account, 0)


def seat_of(state: TableState, player: str) -> int:
    """Return the seat of *player*, or 0 if the player has no seat."""
    for seat, owner in state.players.items():
        if owner == player:
            return seat
    return 0


def is_invited(state: TableState, player: str) -> bool:
    """Return whether *player* has an open invitation (G.10)."""
    return player in state.invited.values()


@lru_cache(maxsize=4096)  # Most tables have the same few sets of seats.
def clockwise(seats: tuple[int, ...], after: int) -> tuple[int, ...]:
    """Return *seats* (ascending) clockwise from the left of *after*; *after* is last if it is one of *seats* (G.5)."""
    left = bisect_right(seats, after)
    return seats[left:] + seats[:left]


def unchanged(state: S, _event: Event) -> S:
    """Return *state* itself: the event changes balances only, or nothing."""
    return state


def on_table_opened(options: type[Struct]) -> Callable[[S, common_events.TableOpened], S]:
    """Return the transition of `TableOpened` for a game whose options have the type *options*."""

    def on_table_opened_with_options(state: S, event: common_events.TableOpened) -> S:
        return replace(
            state,
            status="open",
            game=event.game,
            edition=event.edition,
            options=convert(event.options, options),
            host=event.host,
            visibility=event.visibility,
            seats=event.seats,
            currency=event.currency,
            worth_minor=event.worth_minor,
            time_limit_seconds=event.time_limit_seconds,
            seeds=event.seeds,
            dispute_days=event.dispute_days,
        )

    return on_table_opened_with_options


def on_seat_taken(state: S, event: common_events.SeatTaken) -> S:
    """Add the player to their seat; their invitation ends."""
    return replace(
        on_invitation_closed(state, event),
        players=dict(sorted({**state.players, event.seat: event.player}.items())),
        seatings={**state.seatings, event.player: state.seatings.get(event.player, 0) + 1},
    )


def on_seat_left(state: S, event: common_events.SeatLeft) -> S:
    """Free the seat; its signing key ends."""
    state = on_signing_key_ended(state, event)
    return replace(state, players={seat: player for seat, player in state.players.items() if seat != event.seat})


def on_signing_key_registered(state: S, event: common_events.SigningKeyRegistered) -> S:
    """Give the seat its signing key."""
    return replace(state, signing_keys=dict(sorted({**state.signing_keys, event.seat: event.public_key}.items())))


def on_signing_key_ended(state: S, event: common_events.SigningKeyEnded | common_events.SeatLeft) -> S:
    """Remove the signing key of the seat, if the seat has one."""
    if event.seat not in state.signing_keys:
        return state
    return replace(state, signing_keys={seat: key for seat, key in state.signing_keys.items() if seat != event.seat})


def on_player_invited(state: S, event: common_events.PlayerInvited) -> S:
    """Add the invitation under its number."""
    return replace(state, invited={**state.invited, event.number: event.player}, invitations=event.number)


def on_invitation_closed(
    state: S, event: common_events.SeatTaken | common_events.InvitationDeclined | common_events.InvitationWithdrawn
) -> S:
    """Remove the invitation of the player, if there is one."""
    if not is_invited(state, event.player):
        return state
    invited = {number: player for number, player in state.invited.items() if player != event.player}
    return replace(state, invited=invited)


def on_game_started(state: S, event: common_events.GameStarted) -> S:
    """Start the game; all invitations end, unless players may still take seats (G.4, G.10)."""
    return replace(state, status="playing", invited=state.invited if event.seats_stay_open else {}, seatings={})


def on_table_closed(state: S, _event: common_events.TableClosed) -> S:
    """Close the table; all invitations end."""
    return replace(state, status="closed", invited={}, seatings={})


def on_game_ended(state: S, event: common_events.GameEnded) -> S:
    """Finish the game, and record its winners."""
    return replace(state, status="finished", winners=event.winners, invited={}, seatings={})


def on_deck_opened(state: S, event: common_events.DeckOpened) -> S:
    """Put the deck in reserve, behind the decks already in reserve, and add the deck to its batch."""
    state = replace(state, decks={**state.decks, event.epoch: "in_reserve"}, decks_opened=state.decks_opened + 1)
    if not event.batch:
        return state
    batch = state.batches.get(event.batch, Batch())
    return replace(state, batches={**state.batches, event.batch: replace(batch, decks=(*batch.decks, event.epoch))})


def on_deck_fixed(state: S, event: common_events.DeckFixed) -> S:
    """Put the deck in play, in place of the deck that was in play."""
    decks: dict[str, DeckStatus] = {
        epoch: "replaced" if status == "in_play" else status for epoch, status in state.decks.items()
    }
    return replace(_without_deck(state, event.epoch), decks={**decks, event.epoch: "in_play"})


def on_seed_revealed(state: S, event: common_events.DeckRevealed | common_events.DeckUnused) -> S:
    """Remove the deck, whose seed is revealed: no card is dealt from the deck again (G.6)."""
    decks = {epoch: status for epoch, status in state.decks.items() if epoch != event.epoch}
    return replace(_without_deck(state, event.epoch), decks=decks)


def _without_deck(state: S, epoch: str) -> S:
    """Remove the deck of *epoch* from its batch, and remove the batch if this was its last deck."""
    if not state.batches:
        return state
    left = {
        name: replace(batch, decks=tuple(one for one in batch.decks if one != epoch))
        for name, batch in state.batches.items()
    }
    return replace(state, batches={name: batch for name, batch in left.items() if batch.decks})


Transitions: TypeAlias = Mapping[type[Event], Callable[[S, SomeType], S]]
"""The functions that apply events, by type of event. A `match` would be slower: it tests type after type."""


def common_transitions(options: type[Struct]) -> Transitions[S]:
    """Return the transitions of the common events, for a game whose options have the type *options*.

    `Definition.step` has already booked the transfers of these events.
    """
    return {
        common_events.TableOpened: on_table_opened(options),
        common_events.SeatTaken: on_seat_taken,
        common_events.SeatLeft: on_seat_left,
        common_events.PlayerInvited: on_player_invited,
        common_events.InvitationDeclined: on_invitation_closed,
        common_events.InvitationWithdrawn: on_invitation_closed,
        common_events.GameStarted: on_game_started,
        common_events.TableClosed: on_table_closed,
        common_events.SigningKeyRegistered: on_signing_key_registered,
        common_events.SigningKeyEnded: on_signing_key_ended,
        common_events.ValueErased: unchanged,
        common_events.DeckOpened: on_deck_opened,
        common_events.DeckFixed: on_deck_fixed,
        common_events.DeckRevealed: on_seed_revealed,
        common_events.DeckUnused: on_seed_revealed,
        common_events.CardsDealt: unchanged,
        common_events.CardsShown: unchanged,
        common_events.CardsBottomed: unchanged,
        common_events.GameEnded: on_game_ended,
    }
