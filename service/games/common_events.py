"""The events that the games share (DECISIONS 5)."""

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from service.cards import Face
from service.games.common_commands import Ground, OptionValue, Owner, Seeds, Visibility
from service.games.game import (
    MOST_CHIPS,
    MOST_SEATS,
    Consequence,
    Decision,
    Event,
    Position,
    Seat,
    TimedDecision,
    describe,
)

Epoch = Annotated[str, Meta(description="The name of a deck: <table id>/<k>, for the table's k-th deck.")]
Place = Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64, description="A place for cards, such as `table`.")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="32 bytes as lower-case hex.")]


class TableOpened(Decision, frozen=True, kw_only=True):
    """A table was opened for one edition of a game, with the table's options (G.2).

    *worth_minor* is the worth of a chip in minor units of *currency*, or 0 if chips have no worth.
    """

    game: str
    edition: int
    sheet: Digest
    options: dict[str, OptionValue]
    seats: Annotated[int, Meta(ge=2, le=MOST_SEATS, description="How many seats the table has.")]
    host: Owner
    visibility: Visibility
    currency: Annotated[str, Meta(pattern="^([A-Z]{3})?$")] = ""
    worth_minor: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    time_limit_seconds: Annotated[int, Meta(ge=0, le=86_400)] = 0
    seeds: Annotated[Seeds, describe("Whose seeds, besides the service's, determine the order of decks (G.9).")] = ""
    dispute_days: Annotated[
        int,
        describe("For how many days after its last event a hand may be disputed once the game is over (D.2).", 1, 365),
    ] = 30


class SeatTaken(Decision, frozen=True, kw_only=True):
    """*player* took *seat* and bought *chips*, if the game has chips (G.7).

    *any_seat*: whether the command named no seat, so that the player got the lowest free seat.
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
    """The host invited *player*, who may now see the table even if it is private, and may take a seat (G.10)."""

    player: Owner
    number: Annotated[int, describe("The number of the invitation at this table, from 1.", 1, 1_000)]


class InvitationDeclined(Decision, frozen=True, kw_only=True):
    """*player* declined the invitation (G.10)."""

    player: Owner


class InvitationWithdrawn(Decision, frozen=True, kw_only=True):
    """The host withdrew the invitation of *player* (G.10)."""

    player: Owner


class GameStarted(Decision, frozen=True, kw_only=True):
    """The game started.

    *seats_stay_open*: whether players may still take seats, so that open invitations stay open (G.4, G.10).
    """

    seats_stay_open: Annotated[bool, describe("Whether players may still take seats after the start.")] = False


class TableClosed(Decision, frozen=True, kw_only=True):
    """The host closed the table, before the start or between hands, and all chips were paid out (G.4, G.7)."""


class ValueErased(Decision, frozen=True, kw_only=True):
    """The service erased the value that the event at *position* sealed under *field*; its commitment stays (log/v1)."""

    position: Annotated[int, Meta(ge=1, description="The position of the event that sealed the value.")]
    field: Annotated[str, Meta(pattern="^[a-z_]+$", max_length=64, description="The name of the sealed field.")]
    ground: Annotated[
        Ground,
        Meta(
            description="Why the value was erased: its owner's request, the end of retention, or an authority's order."
        ),
    ]


class SigningKeyRegistered(Decision, frozen=True, kw_only=True):
    """From now on, *seat* must sign every decision with the private key of *public_key*, until the key ends (G.13)."""

    seat: Seat
    public_key: Digest


class SigningKeyEnded(Decision, frozen=True, kw_only=True):
    """The signing key of *seat* has ended; from now on, the decisions of the seat are unsigned (G.13)."""

    seat: Seat


class DeckOpened(Consequence, frozen=True, kw_only=True):
    """The service drew and sealed the seed of the deck of *epoch*, and committed to the seed (deck/v1)."""

    epoch: Epoch
    server_commit: Digest
    input_id: Digest
    n: int
    batch: Annotated[
        str, describe("The batch of the deck, at a table with players' seeds: the epoch of the batch's first deck.")
    ] = ""


class DeckFixed(Consequence, frozen=True, kw_only=True):
    """The order of the deck of *epoch* is fixed: *deck_root* is the root over its salted cards (deck/v1)."""

    epoch: Epoch
    transcript: Digest
    deck_root: Digest
    level: Literal["operator", "partial", "joint"]
    seats: Annotated[tuple[Seat, ...], describe("The seats whose seeds went into the deck's order.")] = ()


class DeckRevealed(Consequence, frozen=True, kw_only=True):
    """The deck of *epoch* is retired: its seed is revealed, and anybody can compute the deck's order (G.6)."""

    epoch: Epoch
    server_seed: Digest


class DeckUnused(Consequence, frozen=True, kw_only=True):
    """The deck of *epoch* was never fixed and never dealt from; its seed is revealed (deck/v1)."""

    epoch: Epoch
    server_seed: Digest


class DealerDrawn(Consequence, frozen=True, kw_only=True):
    """The draw determined the first *dealer*."""

    dealer: Seat


class HandDealt(TimedDecision, frozen=True, kw_only=True):
    """*dealer* began hand number *hand*."""

    hand: Annotated[int, Meta(ge=1)]
    dealer: Seat


class CardsDealt(Consequence, frozen=True, kw_only=True):
    """Cards were dealt from the top of the deck.

    *cards* lists, in the order dealt, each card's position in the deck, and the seat or place that got the card.
    """

    epoch: Epoch
    cards: tuple[tuple[int, int | Place], ...]


class ShownCard(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The *face* of the card at *pos* of a deck, and the *salt* with which the deck's root commits to the face.

    *seat* is the seat that has the card, or 0 if no seat has the card.
    """

    pos: Position
    face: Face
    salt: Digest
    seat: int = 0


class CardsShown(Consequence, frozen=True, kw_only=True):
    """Cards of the deck of *epoch* were turned face up."""

    epoch: Epoch
    cards: tuple[ShownCard, ...]


class FaceShown(Consequence, frozen=True, kw_only=True):
    """The card at *pos* of the deck of *epoch* was turned face up; a game derives its own events from this class."""

    epoch: Epoch
    pos: Position
    face: Face
    salt: Digest


class CardsBottomed(Consequence, frozen=True, kw_only=True):
    """Used cards were put under the deck; the last of *positions* is the bottom card."""

    epoch: Epoch
    positions: tuple[Position, ...]


class GameEnded(Consequence, frozen=True, kw_only=True):
    """The game is over; *winners* are the seats that won, and their chips, if any, were paid out (G.7)."""

    winners: tuple[Seat, ...]


SHOWING_EVENTS = (CardsShown, FaceShown)
"""The types of event that show cards; games derive their own types from `FaceShown`."""


class ShownFace(NamedTuple):
    """A card that an event shows to everybody: its position in the deck of *epoch*, its face, and its salt in hex."""

    epoch: str
    pos: int
    face: Face
    salt: str


def shown_faces(event: Event) -> tuple[ShownFace, ...]:
    """Return the cards that *event* shows."""
    match event:
        case CardsShown(epoch=epoch, cards=cards):
            return tuple(ShownFace(epoch, card.pos, card.face, card.salt) for card in cards)
        case FaceShown(epoch=epoch, pos=pos, face=face, salt=salt):
            return (ShownFace(epoch, pos, face, salt),)
        case _:
            return ()
