"""Endpoints of the public API for players and hosts, with one method for each endpoint."""

from collections.abc import Mapping
from threading import Event
from typing import Any, Final

from msgspec import Struct

from service.bots.bot import Action, Move, Table
from service.bots.client import NO_WAITING_SLOT, Client
from service.bots.client_errors import Problem

_MOST: Final = 1000
_NOT_COVERED: Final = "proof_must_exist"


class SignFrom(Struct, frozen=True):
    """The event on which the caller signs the next action: its *position*, and the hash of its leaf."""

    position: int
    head_hash: str


class Signing(Struct, frozen=True):
    """The *public_key* that signs the actions of the caller's seat ("": none), and on which event to sign the next."""

    public_key: str
    sign_from: SignFrom


class Myself(Struct, frozen=True):
    """The caller's *seat* at a table, and the caller's *command_secret* there (hex)."""

    seat: int
    command_secret: str


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


class CommandResult(Struct, frozen=True):
    """The result of a command: the *table* where the command was recorded, and the *position* of its last event."""

    table: str
    position: int


class MadeKey(Struct, frozen=True):
    """A new API key; its owner sends *token* with each request."""

    token: str


class Credit(Struct, frozen=True):
    """The title and the author of a game; *year* is 0 if the rule sheet has no year."""

    title: str
    author: str
    year: int


class MemberInfo(Struct, frozen=True):
    """A member of an action."""

    name: str


class ActionInfo(Struct, frozen=True):
    """A type of action, with its members besides `type`."""

    members: tuple[MemberInfo, ...]


class GameInfo(Struct, frozen=True):
    """A game: its credit, the text of each of our rulings by the ruling's name, and its types of action."""

    credit: Credit
    rulings: dict[str, str]
    actions: tuple[ActionInfo, ...]


class Posting(Struct, frozen=True):
    """A line of an account's statement; *amount* is positive if the account received it."""

    counterparty: str
    amount: int


class Statement(Struct, frozen=True):
    """The lines of an account's statement, in order."""

    items: tuple[Posting, ...]


class DealtCard(Struct, frozen=True):
    """A card dealt *to* a seat, or to a named place on the table; *face* is `??` if the card is hidden."""

    to: int | str
    face: str


class Decision(Struct, frozen=True):
    """A decision; *made* has the members that belong to this type of event."""

    position: int
    by: str
    type: str
    made: dict[str, Any]


class Payout(Struct, frozen=True):
    """A transfer of *amount*, in chips or points, from *source* to *target*, with the reason for the transfer."""

    source: str
    target: str
    amount: int
    rule: str
    ruling: str
    formula: str
    unit: str = "chips"
    cards: tuple[str, ...] = ()


class PayoutEvent(Struct, frozen=True):
    """A payout, and the *type* of the event that made the payout."""

    type: str
    payout: Payout


class OpenedField(Struct, frozen=True):
    """The *value* that the decision at *position* sealed under *field*, and that the caller may read."""

    position: int
    field: str
    value: Any


class AccountInHand(Struct, frozen=True):
    """The balances of an *account* before and after a hand, and the *net* that the hand added, both in *unit*."""

    account: str
    unit: str
    opening: int
    net: int
    closing: int


class HandHistory(Struct, frozen=True):
    """A hand: its cards, decisions and payouts in order, the sealed fields that the caller may read, its accounts."""

    table: str
    hand: int
    cards: tuple[DealtCard, ...]
    decisions: tuple[Decision, ...]
    payouts: tuple[PayoutEvent, ...]
    fields: tuple[OpenedField, ...] = ()
    accounts: tuple[AccountInHand, ...] = ()


class Adjudication(Struct, frozen=True):
    """The *verdict* of deciding a hand again ("clean", "failed", "pending" or "undecidable"), and its *decisions*.

    *unsigned_seats* made decisions in the hand without signing.
    """

    verdict: str
    decisions: tuple[dict[str, Any], ...]
    unsigned_seats: tuple[int, ...] = ()


class Api:
    """Calls the endpoints with the key of one *client*."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def make_key(self, *scopes: str, label: str) -> MadeKey:
        """Make a key with *scopes* for a new owner."""
        return self.client.post("/v1/keys", MadeKey, {"scopes": scopes, "label": label})

    def open_table(
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any],
        worth: Mapping[str, Any] | None = None,
        seeds: str = "operator",
    ) -> str:
        """Open a table and return its id; without *worth* its chips have no value in money."""
        body = {"game": game, "seats": seats, "options": options, "seeds": seeds}
        return self.client.post("/v1/tables", CommandResult, {**body, "worth": worth} if worth else body).table

    def take_seat(self, table: str, chips: int) -> None:
        """Take the lowest free seat."""
        self.client.post(f"/v1/tables/{table}/seats", CommandResult, {"chips": chips})

    def actions(self, table: str, *, wait_seconds: int) -> Actions:
        """Return the caller's legal actions once the caller's decision is due, play has ended, or the wait is over.

        If the server has no free waiting slot, return the actions immediately.
        """
        path = f"/v1/tables/{table}/actions"
        try:
            return self.client.get(path, Actions, wait=wait_seconds)
        except Problem as problem:
            if problem.code != NO_WAITING_SLOT:
                raise
            return self.client.get(path, Actions)

    def me(self, table: str) -> Myself:
        """Return the caller's seat and command secret at a table."""
        return self.client.get(f"/v1/tables/{table}/me", Myself)

    def act(self, table: str, action: Action, *, idempotency_key: str = "") -> CommandResult:
        """Post *action* to a table, under *idempotency_key* ("": a new key)."""
        return self.client.post(f"/v1/tables/{table}/actions", CommandResult, action, idempotency_key=idempotency_key)

    def table(self, table: str) -> Table:
        """Return the current state of a table."""
        return self.client.get(f"/v1/tables/{table}", Table)

    def game(self, game: str) -> GameInfo:
        """Return the description of a game."""
        return self.client.get(f"/v1/games/{game}", GameInfo)

    def statement(self, table: str, account: str) -> tuple[Posting, ...]:
        """Return the first thousand lines of an account's statement."""
        return self.client.get(f"/v1/tables/{table}/accounts/{account}/postings", Statement, limit=_MOST).items

    def hand(self, table: str, hand: int) -> HandHistory:
        """Return a hand with the reason for each payout."""
        return self.client.get(f"/v1/tables/{table}/hands/{hand}", HandHistory)

    def adjudication(self, table: str, hand: int) -> Adjudication:
        """Let the server decide a hand again, and return the adjudication."""
        return self.client.get(f"/v1/tables/{table}/hands/{hand}/adjudication", Adjudication)

    def dossier(self, table: str, hand: int, *, patience_seconds: int = 30) -> bytes:
        """Return the dossier of a hand, a .zip file, as soon as a checkpoint of the log covers the hand.

        Raises:
            Problem: the server refused the request, or no checkpoint covers the hand after *patience_seconds*.
        """
        path = f"/v1/tables/{table}/hands/{hand}/dossier"
        for _ in range(patience_seconds):
            try:
                return self.client.download(path)
            except Problem as problem:
                if problem.code != _NOT_COVERED:
                    raise
            Event().wait(1)
        return self.client.download(path)

    def verifier(self) -> bytes:
        """Return verify.py, the program that checks dossiers."""
        return self.client.download("/v1/verify.py")
