"""The commands that the games share."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from msgspec import Meta

from service.games import common_refusals
from service.games.common_refusals import Precedence, declared
from service.games.game import Command

Owner = Annotated[
    str,
    Meta(
        pattern="^own_[0-9a-f]{32}$",
        max_length=36,
        description="The id of an owner of API keys.",
        examples=["own_0123456789abcdef0123456789abcdef"],
    ),
]
Visibility = Literal["public", "private"]
Ground = Literal["request", "retention", "order"]
"""The ground of an erasure: a request of the value's owner, the end of its retention, or an authority's order."""
OptionValue: TypeAlias = bool | int | str | tuple[int, ...]
Seeds = Literal["", "players"]
"""Whose seeds, besides the service's seed, determine the order of a table's decks: nobody's or the players' (G.9)."""
BatchName = Annotated[
    str,
    Meta(
        pattern="^tbl_[0-9a-f]{32}/[1-9][0-9]*$",
        max_length=48,
        description="The name of a batch of decks: the epoch of its first deck.",
        examples=["tbl_0123456789abcdef0123456789abcdef/1"],
    ),
]


class OpenTable(Command, frozen=True, kw_only=True):
    """Open a table for a game."""

    host: str
    game: str
    edition: int
    sheet: str
    options: Mapping[str, OptionValue]
    seats: int
    visibility: Visibility
    currency: str = ""
    worth_minor: int = 0
    time_limit_seconds: int = 0
    seeds: Seeds = ""
    dispute_days: int = 30


class TakeSeat(Command, frozen=True, kw_only=True):
    """Give *player* the seat number *seat*, or the lowest free seat if *seat* is 0; the player buys *chips*."""

    player: str
    chips: int
    seat: int = 0


class LeaveSeat(Command, frozen=True, kw_only=True):
    """Leave the table with your chips, before the start or, if the game allows leaving, between hands."""

    IS_RARE: ClassVar[bool] = True


class InvitePlayer(Command, frozen=True, kw_only=True):
    """Invite an owner: the owner may then see the table even if it is private, and may take a seat or decline."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class WithdrawInvitation(Command, frozen=True, kw_only=True):
    """Withdraw the invitation of *player*."""

    FOR_HOST: ClassVar[bool] = True

    player: Owner


class DeclineInvitation(Command, frozen=True, kw_only=True):
    """Decline the invitation to the table; *player* is the caller."""

    FROM_CALLER: ClassVar[tuple[str, ...]] = ("by", "player")

    player: Owner


class StartGame(Command, frozen=True, kw_only=True):
    """Start the game with the seated players."""

    FOR_HOST: ClassVar[bool] = True


class CallTime(Command, frozen=True, kw_only=True):
    """Call time: the service makes the first decision that is due, on behalf of the player.

    If the game waits for players' seeds, the service leaves out the first seat that has not committed. Once the
    commitments are closed, the service leaves out all players' seeds (G.9).
    """

    FOR_HOST: ClassVar[bool] = True


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table for good and pay all chips out, before the start or, if players may leave, between hands."""

    FOR_HOST: ClassVar[bool] = True


class DealHand(Command, frozen=True, kw_only=True):
    """Deal the next hand."""


class CommitSeed(Command, frozen=True, kw_only=True):
    """Commit to a seed of your own for a batch of decks (G.9)."""

    epoch: BatchName
    client_commit: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            max_length=64,
            description="Your commitment (deck/v1): the hash of the batch, your seat and your seed.",
            examples=["02bf44c834633dfdbf4f7f90b99137e84e4eaae1059f511f493be57575150f08"],
        ),
    ]


class RevealSeed(Command, frozen=True, kw_only=True):
    """Show the seed to which you have committed, once the commitments of the batch are closed (G.9)."""

    epoch: BatchName
    client_seed: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            max_length=64,
            description="Your seed: 32 random bytes in hex.",
            examples=["1111111111111111111111111111111111111111111111111111111111111111"],
        ),
    ]


class RegisterSigningKey(Command, frozen=True, kw_only=True):
    """Register a public key for your seat: from then on, the matching private key must sign the actions of your seat.

    This action must also be signed with the new private key. If your seat already has a key, this action must also be
    signed with the earlier private key.
    """

    public_key: Annotated[
        str,
        Meta(
            pattern="^[0-9a-f]{64}$",
            max_length=64,
            description="An Ed25519 public key (RFC 8032): 64 hex digits.",
            examples=["d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"],
        ),
    ]


class EndSigningKey(Command, frozen=True, kw_only=True):
    """End the signing key of your seat, for example because you lost the private key; this action needs no signature.

    From then on your actions are unsigned, and the verdicts on hands name your seat as unsigned.
    """


class EraseValue(Command, frozen=True, kw_only=True):
    """Erase the value that the event at *position* sealed under *field*; only the service may give this command."""

    position: int
    field: str
    ground: Ground


InvitationCommand: TypeAlias = InvitePlayer | WithdrawInvitation | DeclineInvitation
ACTIONS: Final[tuple[type[Command], ...]] = (
    DealHand,
    LeaveSeat,
    StartGame,
    CallTime,
    CloseTable,
    InvitePlayer,
    WithdrawInvitation,
    DeclineInvitation,
    RegisterSigningKey,
    EndSigningKey,
    CommitSeed,
    RevealSeed,
)
"""The common commands that clients post as actions.

`OpenTable` and `TakeSeat` have HTTP resources of their own; `EraseValue` has no HTTP resource.
"""
COMMON: Final[tuple[type[Command], ...]] = (OpenTable, TakeSeat, EraseValue, *ACTIONS)
"""All commands that the games share; each game adds its own commands."""
_ON_SEEDS: Final = (
    common_refusals.GAME_MUST_BE_UNDER_WAY,
    common_refusals.PLAYER_MUST_HAVE_A_SEAT,
    common_refusals.TABLE_MUST_HAVE_PLAYERS_SEEDS,
    common_refusals.BATCH_MUST_AWAIT_SEEDS,
)
COMMON_REFUSALS: Final[Precedence] = declared(
    {
        OpenTable: (common_refusals.TABLE_MUST_BE_NEW,),
        TakeSeat: (
            common_refusals.PLAYER_MUST_NOT_SIT_TWICE,
            common_refusals.PLAYER_MUST_BE_INVITED,
            common_refusals.SEAT_MUST_BE_TAKEN_LESS_OFTEN,
            common_refusals.TABLE_MUST_HAVE_A_FREE_SEAT,
            common_refusals.SEAT_MUST_BE_FREE,
        ),
        LeaveSeat: (common_refusals.GAME_MUST_NOT_HAVE_STARTED, common_refusals.PLAYER_MUST_HAVE_A_SEAT),
        StartGame: (
            common_refusals.HOST_MUST_ASK,
            common_refusals.GAME_MUST_NOT_HAVE_STARTED,
            common_refusals.ENOUGH_SEATS_MUST_BE_TAKEN,
        ),
        CallTime: (common_refusals.HOST_MUST_ASK, common_refusals.GAME_MUST_BE_UNDER_WAY),
        CloseTable: (common_refusals.HOST_MUST_ASK, common_refusals.GAME_MUST_NOT_HAVE_STARTED),
        InvitePlayer: (
            common_refusals.GAME_MUST_NOT_HAVE_STARTED,
            common_refusals.HOST_MUST_ASK,
            common_refusals.INVITED_MUST_NOT_SIT_HERE,
            common_refusals.PLAYER_MUST_NOT_BE_INVITED_TWICE,
            common_refusals.OPEN_INVITATIONS_MUST_BE_FEWER,
            common_refusals.INVITATIONS_MUST_BE_FEWER,
        ),
        WithdrawInvitation: (
            common_refusals.GAME_MUST_NOT_HAVE_STARTED,
            common_refusals.HOST_MUST_ASK,
            common_refusals.PLAYER_MUST_BE_INVITED,
        ),
        DeclineInvitation: (common_refusals.GAME_MUST_NOT_HAVE_STARTED, common_refusals.PLAYER_MUST_BE_INVITED),
        RegisterSigningKey: (
            common_refusals.PLAYER_MUST_HAVE_A_SEAT,
            common_refusals.GAME_MUST_NOT_BE_OVER,
            common_refusals.HAND_MUST_NOT_BE_RUNNING,
            common_refusals.SIGNING_KEY_MUST_BE_SOUND,
            common_refusals.SIGNING_KEY_MUST_BE_NEW,
        ),
        EndSigningKey: (
            common_refusals.PLAYER_MUST_HAVE_A_SEAT,
            common_refusals.GAME_MUST_NOT_BE_OVER,
            common_refusals.SIGNING_KEY_MUST_BE_REGISTERED,
        ),
        CommitSeed: (
            *_ON_SEEDS,
            common_refusals.COMMITMENTS_MUST_BE_OPEN,
            common_refusals.COMMITMENT_MUST_STAND,
        ),
        RevealSeed: (
            *_ON_SEEDS,
            common_refusals.COMMITMENT_MUST_BE_GIVEN,
            common_refusals.COMMITMENTS_MUST_BE_CLOSED,
            common_refusals.SEED_MUST_STAND,
            common_refusals.SEED_MUST_MATCH_ITS_COMMITMENT,
        ),
        EraseValue: (common_refusals.SERVICE_MUST_ASK,),
    }
)
"""The conditions that every game checks; a game adds its own, and a row for `DealHand`."""
