"""The API's answers about tables and games; members that no client of this repository needs are left out."""

# DECISIONS 118

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Action = Mapping[str, Any]
"""An action as a client posts it: its type and its other members."""


class Bound(Struct, frozen=True):
    """The smallest (*least*) and the largest (*most*) value of a *member* of an action."""

    member: str
    least: int
    most: int


class Choice(Struct, frozen=True):
    """A choice for *member*: a list of *count* different values from *among*, or, if *count* is 0, one value."""

    member: str
    among: tuple[str, ...]
    count: int = 0


class Move(Struct, frozen=True):
    """A legal *action*, ready to post, with *bounds* of its numbers and *choices* for its other members."""

    action: dict[str, Any]
    bounds: tuple[Bound, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def kind(self) -> str:
        """The action's type."""
        return str(self.action["type"])

    @property
    def lowest(self) -> Action:
        """The action with the smallest numbers and the first choices; this action is legal, too."""
        numbers = {bound.member: bound.least for bound in self.bounds}
        chosen = {one.member: list(one.among[: one.count]) if one.count else one.among[0] for one in self.choices}
        return {**self.action, **numbers, **chosen}


class SignFrom(Struct, frozen=True):
    """The event that the signature of the caller's next action names: its *position*, and the hash of its leaf."""

    position: int
    head_hash: str


class Signing(Struct, frozen=True):
    """The *public_key* of the caller's seat ("": none), and the event that the seat's next signature names."""

    public_key: str
    sign_from: SignFrom


class Actions(Struct, frozen=True):
    """The legal actions of the caller now, and the actors whose decision is *due*: "seat:<n>" or "host"."""

    position: int
    status: str
    due: tuple[str, ...]
    items: tuple[Move, ...]
    signing: Signing | None = None

    @property
    def is_over(self) -> bool:
        """Whether play at the table has ended."""
        return self.status in {"finished", "closed"}


class Myself(Struct, frozen=True):
    """The caller's *seat* at a table, and the caller's *command_secret* there (hex)."""

    seat: int
    command_secret: str


class CommandResult(Struct, frozen=True):
    """The result of a command: the *table* where the command was recorded, and the *position* of its last event."""

    table: str
    position: int


class FieldToSeal(Struct, frozen=True):
    """The *value* that an action would seal under *field*."""

    field: str
    value: Any


class WouldSeal(Struct, frozen=True):
    """What an action would seal: the type of its *decision*, and its *fields*."""

    decision: str
    fields: tuple[FieldToSeal, ...]


class DryRun(Struct, frozen=True):
    """The answer to a dry run of a legal action; *seals* is what the action would seal (None: nothing)."""

    seals: WouldSeal | None = None


class MadeKey(Struct, frozen=True):
    """A new API key; its owner sends *token* with each request."""

    token: str


class Worth(Struct, frozen=True):
    """The worth of a chip: *minor* is a number of minor units of *currency*, such as cents (0: chips have no worth)."""

    currency: str
    minor: int


class SeatAt(Struct, frozen=True):
    """A seat of the table and its player ("": nobody)."""

    seat: int
    player: str


class SeedsOfTable(Struct, frozen=True):
    """Whether the game *waits* for players' seeds: until the players have given these, no other decision is due."""

    waits: bool = False


class Table(Struct, frozen=True):
    """A table as the API shows it to one caller: *you* is the caller's seat (0: none).

    *view* has the members that only this game has.
    """

    table: str
    game: str
    position: int
    status: str
    hand: int
    you: int
    balances: dict[str, int]
    winners: tuple[int, ...]
    options: dict[str, Any]
    view: dict[str, Any]
    edition: int = 1
    seats: tuple[SeatAt, ...] = ()
    worth: Worth | None = None
    seeds: SeedsOfTable = SeedsOfTable()


class Credit(Struct, frozen=True):
    """The title and the author of a game, and the SHA-256 of the rule sheet; *year* is 0 if the sheet has none."""

    title: str
    author: str
    year: int
    sheet_sha256: str


class MemberInfo(Struct, frozen=True):
    """A member of an action."""

    name: str


class ActionInfo(Struct, frozen=True):
    """A type of action, with its members besides `type`."""

    members: tuple[MemberInfo, ...]


class GameInfo(Struct, frozen=True, kw_only=True):
    """A game: its credit, the texts of its rules and of its rulings by their names, and its types of action."""

    credit: Credit
    edition: int
    rules: Mapping[str, str]
    rulings: Mapping[str, str]
    actions: tuple[ActionInfo, ...]


class Posting(Struct, frozen=True):
    """A line of an account's statement; *amount* is positive if the account received it."""

    counterparty: str
    amount: int


class Statement(Struct, frozen=True):
    """The lines of an account's statement, in order."""

    items: tuple[Posting, ...]
