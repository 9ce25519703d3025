"""The endpoints of the public API that players and hosts use most; each has a method."""

from collections.abc import Mapping
from threading import Event
from typing import Any, Final

from service.client.client import NO_WAITING_SLOT, Client
from service.client.client_errors import Problem
from service.client.hand_answers import Adjudication, EventPage, HandHistory
from service.client.table_answers import (
    Action,
    Actions,
    CommandResult,
    GameInfo,
    MadeKey,
    Myself,
    Posting,
    Statement,
    Table,
)

_MOST: Final = 1000
_NOT_COVERED: Final = "proof_must_exist"


class Api:
    """Calls the endpoints with the key of one *client*.

    A command has the Idempotency-Key *idempotency_key* ("": a new one for each call). If a call raised `ServerGone`,
    repeat the call with the same *idempotency_key*: the server then records the command only once. So choose the
    *idempotency_key* of each command that you may repeat.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def make_key(self, *scopes: str, label: str, idempotency_key: str = "") -> MadeKey:
        """Make a key with *scopes* for a new owner."""
        body = {"scopes": scopes, "label": label}
        return self.client.post("/v1/keys", MadeKey, body, idempotency_key=idempotency_key)

    def open_table(  # noqa: PLR0913 -- each member of the request is a parameter
        self,
        game: str,
        seats: int,
        options: Mapping[str, Any],
        worth: Mapping[str, Any] | None = None,
        seeds: str = "operator",
        *,
        idempotency_key: str = "",
    ) -> str:
        """Open a table and return its id; without *worth* its chips have no value in money."""
        body = {"game": game, "seats": seats, "options": options, "seeds": seeds}
        opening = {**body, "worth": worth} if worth else body
        return self.client.post("/v1/tables", CommandResult, opening, idempotency_key=idempotency_key).table

    def take_seat(self, table: str, chips: int, *, idempotency_key: str = "") -> None:
        """Take the lowest free seat."""
        path = f"/v1/tables/{table}/seats"
        self.client.post(path, CommandResult, {"chips": chips}, idempotency_key=idempotency_key)

    def actions(self, table: str, *, wait_seconds: int) -> Actions:
        """Return the caller's legal actions as soon as the caller must decide or give a seed, or play has ended.

        Wait for at most *wait_seconds*. If the server has no free waiting slot, or the caller neither plays at the
        table nor hosts it, return the actions immediately.
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
        """Take *action* at a table."""
        return self.client.post(f"/v1/tables/{table}/actions", CommandResult, action, idempotency_key=idempotency_key)

    def table(self, table: str) -> Table:
        """Return the current state of a table."""
        return self.client.get(f"/v1/tables/{table}", Table)

    def events(self, table: str, *, after: int, wait_seconds: int) -> EventPage:
        """Return the events of a table after the position *after*; if there are none, wait for the next event.

        The response comes after *wait_seconds* at the latest, and at once if play has ended.
        """
        return self.client.get(f"/v1/tables/{table}/events", EventPage, after=after, wait=wait_seconds, limit=_MOST)

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
            Problem, ServerGone: as for `Client.get`; `Problem` also if no checkpoint covers the hand after
                *patience_seconds*.
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
