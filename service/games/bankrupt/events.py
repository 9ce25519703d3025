"""The events that only Bankrupt has."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.cards import Face
from service.games.common_events import Epoch, FaceShown
from service.games.game import CARD, MOST_CHIPS, Chips, Consequence, Decision, Position, Seat, TimedDecision, describe

Rule = Annotated[str, Meta(description="The number of a rule of the sheet.")]
Ruling = Annotated[str, Meta(description="The name of a ruling.")]
CentreRuling = Annotated[
    Literal["empty", "stays", "collected"], describe("Whether the centre is empty, stays, or goes to the winner.")
]
DeadRounds = Annotated[int, describe("The number of dead rounds in a row.", 0, 100)]
AllHaveDecided = Annotated[bool, describe("Whether every player in the game has now decided on their cards.")]
FromHeaps = Annotated[
    tuple[Annotated[int, describe("Pieces taken from one heap.", 0, 9)], ...],
    describe("Pieces taken from each ante heap of the seat, the newest heap first; empty: no pieces were taken."),
]
Residue = Annotated[int, describe("Whole pieces that go to the centre, or stay in the centre.", 0, MOST_CHIPS)]
Share = Annotated[int, describe("Whole pieces for each player who got a share.", 0, MOST_CHIPS)]


class CardUpturned(Consequence, frozen=True, kw_only=True):
    """The ritual of Rule 7: the card at *pos* was shown to everybody and is face up in the deck.

    *order* lists the positions of the deck's cards after the ritual, from the top (B7.1).
    """

    epoch: Epoch
    pos: Position
    order: Annotated[
        tuple[Position, ...], describe("The positions of the deck's cards after the ritual, from the top.")
    ]


class UpturnedExposed(FaceShown, frozen=True, kw_only=True):
    """The upturned card became the top card: everybody sees it, and it is set aside (B7.3)."""


class AntesPlaced(Consequence, frozen=True, kw_only=True):
    """Every player placed this round's ante: nine pieces, or all of a smaller stack (Rule 6).

    *last_legs*: the seats that had fewer than nine pieces in their stack (Rule 18, B18.1).
    *dead_rounds*: how many dead rounds in a row came before this round.
    """

    last_legs: Annotated[tuple[Seat, ...], describe("Seats on last legs in this round.")] = ()
    dead_rounds: DeadRounds = 0


class CardsHeld(TimedDecision, frozen=True, kw_only=True):
    """*seat* kept both cards (Rule 11).

    *all_have_decided*: whether this was the last decision on cards in the round (B11.1).
    """

    seat: Seat
    all_have_decided: AllHaveDecided = False


class CardExchanged(Decision, frozen=True, kw_only=True):
    """*seat* discarded its first or second *card*, for the top card of the deck (Rule 11, B11.6).

    *all_have_decided*: whether this was the last decision on cards in the round (B11.1).
    """

    seat: Seat
    card: Annotated[int, Meta(ge=1, le=2, description="Which card was discarded; 1: the first dealt, 2: the second.")]
    all_have_decided: AllHaveDecided = False


class HandThrownIn(Decision, frozen=True, kw_only=True):
    """*seat* left the round; one piece of its ante, if there was one, went to the centre (Rule 11, B11.2).

    *rounds_in_a_row*: in how many rounds in a row the seat has now thrown in (B11.3). *from_heaps*: how many pieces
    each ante heap paid, the newest heap first. *all_have_decided*: whether every player in the game has now decided.
    It is false if this throw-in leaves one player in the round who has not decided: the round ends without that
    player's decision (B11.1, B11.4).
    """

    seat: Seat
    rounds_in_a_row: Annotated[
        int, describe("In how many rounds in a row the seat has thrown in, this round included.", 1, 100)
    ] = 1
    from_heaps: FromHeaps = ()
    all_have_decided: AllHaveDecided = False


class UppingOffered(Decision, frozen=True, kw_only=True):
    """*seat* laid down *chips* to up the ante (Rule 12)."""

    seat: Seat
    chips: Chips


class UppingPassed(TimedDecision, frozen=True, kw_only=True):
    """*seat* made no offer; the right to offer passes to the next player, if any (Rule 12, B12.3)."""

    seat: Seat


class UppingAccepted(Decision, frozen=True, kw_only=True):
    """*seat* accepted the offer and laid down the same number of *chips* (Rule 12, B12.4)."""

    seat: Seat
    chips: Chips


class UppingDeclined(TimedDecision, frozen=True, kw_only=True):
    """*seat* declined the offer (Rule 12)."""

    seat: Seat


class UppingCollected(Consequence, frozen=True, kw_only=True):
    """The offered and the accepted pieces went to the centre (B12.3)."""

    seats: Annotated[tuple[Seat, ...], describe("Seats whose pieces went to the centre.")]


class OfferReturned(Consequence, frozen=True, kw_only=True):
    """No player accepted the offer: *seat* took its *chips* back, and the upping is over (Rule 12, B12.3)."""

    seat: Seat
    chips: Chips


class Claim(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The winner's claim on the ante of *seat*, and its reason.

    *winning* and *losing* are the compared cards. *difference* is the debt for one round (Rules 15 and 16). *due* is
    the difference times the multiplier. *taken* is the number of pieces that were moved. If *taken* is less than *due*,
    *cap* names the reason: "B17.1" if the ante had no more pieces, "B18.2" if the winner is on last legs. *from_heaps*:
    how many pieces each ante heap paid, the newest heap first.
    """

    seat: Seat
    winning: Annotated[Face, describe("The winner's card that was compared.", form=CARD)]
    losing: Annotated[Face, describe("The loser's card that was compared.", form=CARD)]
    difference: Annotated[int, Meta(ge=1, le=9, description="The debt for one round, in pieces (Rules 15 and 16).")]
    due: Annotated[int, describe("The difference times the multiplier, in pieces.", 0, MOST_CHIPS)]
    taken: Annotated[int, describe("Whole pieces that were moved.", 0, MOST_CHIPS)]
    rule: Rule
    ruling: Ruling
    cap: Ruling = ""
    from_heaps: FromHeaps = ()


class RoundWon(Consequence, frozen=True, kw_only=True):
    """*winner* had the best hand and claims from each loser's ante (Rules 9, 10, 15 to 18).

    *multiplier*: one more than the number of dead rounds in a row before this round (B17.1).
    *centre*: whether the centre is empty, stays, or is collected by the winner.
    """

    winner: Seat
    multiplier: Annotated[
        int,
        describe("The factor for each difference: 1 + the number of dead rounds in a row before this round.", 1, 101),
    ]
    claims: Annotated[tuple[Claim, ...], describe("The winner's claim on each loser's ante.")]
    centre: CentreRuling


class RoundWonUncontested(Consequence, frozen=True, kw_only=True):
    """All other players threw in: *winner* claims nothing and shows no card (B11.4)."""

    winner: Seat
    centre: CentreRuling


class RoundDead(Consequence, frozen=True, kw_only=True):
    """*seats* share the best hand: nobody wins and nobody loses (Rules 9, 10, B9.1).

    *dead_rounds*: how many rounds in a row are dead, this round included.
    """

    seats: Annotated[tuple[Seat, ...], describe("Seats that share the best hand.")]
    dead_rounds: DeadRounds


class CentreCollected(Consequence, frozen=True, kw_only=True):
    """*winner* collected the whole centre: by Rule 14 and B12.7, or on last legs by Rule 18 and B12.8."""

    winner: Seat
    chips: Chips
    ruling: Ruling


class CentreDivided(Consequence, frozen=True, kw_only=True):
    """After the last allowed dead round, *seats* got *share* pieces each; *residue* stayed in the centre (Rule 17)."""

    seats: Annotated[tuple[Seat, ...], describe("Seats that got a share.")]
    share: Share
    residue: Residue


class AntesReturned(Consequence, frozen=True, kw_only=True):
    """The rest of every ante went back to its player (Rule 17, B6.2)."""


class PlayerBankrupt(Consequence, frozen=True, kw_only=True):
    """*seat* has no pieces left and is out of the game (Rule 20, B20.1)."""

    seat: Seat


class RoundEnded(Consequence, frozen=True, kw_only=True):
    """The round is settled; *dealer* deals the next round, or is 0 if there is no next round (B5.2)."""

    dealer: Annotated[int, describe("The seat that deals the next round; 0: none.", 0, 52)]


class PlayerResigned(Decision, frozen=True, kw_only=True):
    """*seat* gave up the game (Rule 19, B19.1).

    Each other player got *share* pieces, and the centre got the *residue*. *dealer* deals the next round, if any.
    """

    seat: Seat
    share: Share
    residue: Residue
    dealer: Annotated[Seat, describe("The seat that deals next.")]
