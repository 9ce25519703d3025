"""The events that every table knows."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from service.cards import Face
from service.games.common_commands import Ground, OptionValue, Owner, Visibility
from service.games.game import MOST_CHIPS, Consequence, Decision, Event, Position, Seat, TimedDecision

Epoch = Annotated[str, Meta(description="A deck's life from one shuffle to the next: <table id>/<k>.")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="32 bytes as lower-case hex.")]


class TableOpened(Decision, frozen=True, kw_only=True):
    """A table stands open, and what will be played at it is pinned (G.2).

    *worth_minor* is what a chip is worth in *currency*'s minor units; 0: chips have no worth.
    """

    game: str
    edition: int
    sheet: Digest
    options: dict[str, OptionValue]
    seats: Annotated[int, Meta(ge=2, le=52, description="How many seats the table has.")]
    host: Owner
    visibility: Visibility
    currency: Annotated[str, Meta(pattern="^([A-Z]{3})?$")] = ""
    worth_minor: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    time_limit_seconds: Annotated[int, Meta(ge=0, le=86_400)] = 0


class SeatTaken(Decision, frozen=True, kw_only=True):
    """*player* sat down in *seat* and bought *chips*, where the game has any (G.7).

    *any_seat*: the player asked for whichever seat was free.
    """

    seat: Seat
    player: Owner
    chips: Annotated[int, Meta(ge=0, le=MOST_CHIPS, description="A whole number of chips.")]
    any_seat: bool = False


class SeatLeft(Decision, frozen=True, kw_only=True):
    """The player in *seat* left with *chips*, before the start or between hands (G.4, G.7)."""

    seat: Seat
    chips: Annotated[int, Meta(ge=0, le=MOST_CHIPS, description="A whole number of chips.")]


class PlayerInvited(Decision, frozen=True, kw_only=True):
    """The host invited *player*, who may now see a private table, and sit down (G.10)."""

    player: Owner


class InvitationDeclined(Decision, frozen=True, kw_only=True):
    """*player* declined the invitation (G.10)."""

    player: Owner


class InvitationWithdrawn(Decision, frozen=True, kw_only=True):
    """The host took the invitation of *player* back (G.10)."""

    player: Owner


class GameStarted(Decision, frozen=True, kw_only=True):
    """The game is under way; nobody sits down any more (G.4)."""


class TableClosed(Decision, frozen=True, kw_only=True):
    """The table was closed, before the start or between hands, and everybody got their chips (G.4, G.7)."""


class ValueErased(Decision, frozen=True, kw_only=True):
    """The service erased what the event at *position* sealed under *field*; its commitment stays (log/v1)."""

    position: Annotated[int, Meta(ge=1, description="The position of the event that sealed the value.")]
    field: Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64, description="The name of the sealed field.")]
    ground: Annotated[Ground, Meta(description="Why: its owner's request, the end of its time, or an order.")]


class DeckOpened(Consequence, frozen=True, kw_only=True):
    """The seed of the deck of *epoch* is drawn, kept sealed, and bound by its commitment (deck/v1)."""

    epoch: Epoch
    server_commit: Digest
    input_id: Digest
    n: int


class DeckFixed(Consequence, frozen=True, kw_only=True):
    """The order of the deck of *epoch* is fixed; its salted cards hash to *deck_root* (deck/v1)."""

    epoch: Epoch
    transcript: Digest
    deck_root: Digest
    level: Literal["operator", "joint"]


class DeckRevealed(Consequence, frozen=True, kw_only=True):
    """The deck of *epoch* is retired; from its seed all of its order follows (G.6)."""

    epoch: Epoch
    server_seed: Digest


class DeckUnused(Consequence, frozen=True, kw_only=True):
    """The deck of *epoch*, held in reserve, was never dealt from; its seed is told (deck/v1)."""

    epoch: Epoch
    server_seed: Digest


class DealerDrawn(Consequence, frozen=True, kw_only=True):
    """The draw found the first *dealer* (B5.1, H-DEAL.1)."""

    dealer: Seat


class HandDealt(TimedDecision, frozen=True, kw_only=True):
    """*dealer* began hand number *hand* (B6.1, H-DEAL.1)."""

    hand: Annotated[int, Meta(ge=1)]
    dealer: Seat


class CardsDealt(Consequence, frozen=True, kw_only=True):
    """Cards left the top of the deck, in this order: each position, and to which seat or place."""

    epoch: Epoch
    cards: tuple[tuple[int, int | Literal["table", "aside"]], ...]


class ShownCard(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The *face* at *pos* of a deck, with the *salt* that ties it to the deck's root.

    *seat* is whose card it is; 0: nobody's.
    """

    pos: Position
    face: Face
    salt: Digest
    seat: int = 0


class CardsShown(Consequence, frozen=True, kw_only=True):
    """Cards of the deck of *epoch* lie face up from now on."""

    epoch: Epoch
    cards: tuple[ShownCard, ...]


class FaceShown(Consequence, frozen=True, kw_only=True):
    """One card of the deck of *epoch*, at *pos*, lies face up: what a game's own events of this kind share."""

    epoch: Epoch
    pos: Position
    face: Face
    salt: Digest


class CardsBottomed(Consequence, frozen=True, kw_only=True):
    """Used cards were put under the deck, in this order from the upper to the lowest."""

    epoch: Epoch
    positions: tuple[Position, ...]


class GameEnded(Consequence, frozen=True, kw_only=True):
    """The game is over; *winners* have won it, and what they hold is paid out (G.7)."""

    winners: tuple[Seat, ...]


TableEvent: TypeAlias = (
    TableOpened
    | SeatTaken
    | SeatLeft
    | PlayerInvited
    | InvitationDeclined
    | InvitationWithdrawn
    | GameStarted
    | TableClosed
    | ValueErased
    | DeckOpened
    | DeckFixed
    | DeckRevealed
    | DeckUnused
    | CardsDealt
    | CardsShown
    | CardsBottomed
    | GameEnded
)
EVENTS: tuple[type[Event], ...] = (
    TableOpened,
    SeatTaken,
    SeatLeft,
    PlayerInvited,
    InvitationDeclined,
    InvitationWithdrawn,
    GameStarted,
    TableClosed,
    ValueErased,
    DeckOpened,
    DeckFixed,
    DeckRevealed,
    DeckUnused,
    CardsDealt,
    CardsShown,
    CardsBottomed,
    GameEnded,
)
