"""The clients of the simulation: each chooses among its available actions, and repeats unanswered commands."""

# ruff: noqa: ANN401 -- JSON may be any value

from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from service.bots.random_bot import RandomBot
from service.client.table_answers import Move, Table
from service.games import CURRENT
from tests.games.facts import facts_of

_PLAYERS: Final = 3
GAMES: Final[dict[str, tuple[int, dict[str, Any]]]] = {
    game.name: (min(max(game.seats.least, _PLAYERS), game.seats.most), {**facts_of(game.name).simulated})
    for game in CURRENT.values()
}
"""The number of seats and the options of each game's table; there are `_PLAYERS` seats if the game allows this."""
_LOOKS: Final = ("", "/events?limit=1000", "/balances", "/hands", "/hands/1", "/hands/2", "/hands/1/adjudication")
_PLAYED_AGAIN: Final = 5


class Call(NamedTuple):
    """A request; *who* is the name of its sender."""

    who: str
    method: str
    path: str
    body: bytes
    key: str
    token: str
    if_match: str = ""


class SentCommand(Struct):
    """The command of an Idempotency-Key: how often the command was *sent*, and its responses.

    *silent*: how often the command got no response, or a response that left the outcome in doubt.
    """

    call: Call
    sent: int = 0
    silent: int = 0
    accepted: list[bytes] = []
    refused: list[str] = []


class Person:
    """A client with an API key."""

    def __init__(self, name: str, owner: str, token: str, seed: str) -> None:
        self.name = name
        self.owner = owner
        self.token = token
        self.tables: list[str] = []
        self.seats: dict[str, str] = {}
        self.due_at: list[str] = []
        """The tables at which this person's decision was due when a client last looked."""
        self.is_busy = False
        self.commands: dict[str, SentCommand] = {}
        self._numbers = 0
        self._chance = Random(seed)
        self._bot = RandomBot(seed)
        self.wanted: list[Call] = []

    def next_call(self) -> Call | None:
        """Return the next request: the first unsettled command, or else a read; None: the person has no table yet."""
        if self.wanted:
            return self.wanted[0]
        if not self.tables:
            return None
        table = self._chance.choice(self.due_at or self.tables)
        look = self._chance.choice(_LOOKS) if self._chance.random() < 0.15 else "/actions"
        return Call(self.name, "GET", f"/v1/tables/{table}{look}", b"", "", self.token)

    def want(self, path: str, body: Any, if_match: str = "") -> None:
        """Add a command: POST *path* with *body*, under a new Idempotency-Key."""
        self._numbers += 1
        key = f"{self.name} {self._numbers}"
        self.wanted.append(Call(self.name, "POST", path, msgspec.json.encode(body), key, self.token, if_match))

    def hear(self, call: Call, status: int, body: bytes) -> Iterator[str]:
        """Process the response to *call* (status 0: no response); yield a message for each impossible response."""
        if call.method == "GET":
            if status == 200 and call.path.endswith("/actions"):
                self._choose(call, msgspec.json.decode(body))
            elif status not in {0, 200, 404, 503}:
                yield f"{call} was answered with {status}: {body!r}"
            return
        command = self.commands[call.key]
        code = "" if status in {0, 200, 201} else msgspec.json.decode(body)["code"]
        if status in {200, 201}:
            command.accepted.append(body)
            if command.accepted[0] != body:
                yield f"{call} was answered with {command.accepted[0]!r}, and again with {body!r}"
        elif status == 0 or code == "outcome_must_be_known":
            command.silent += 1
            return
        elif code == "database_must_answer":
            command.refused.append(code)
            return
        elif status in {401, 403, 409, 412}:
            command.refused.append(code)
        else:
            yield f"{call} was answered with {status}: {body!r}"
        if self.wanted and self.wanted[0].key == call.key:
            self.wanted.pop(0)

    @property
    def is_waiting(self) -> bool:
        """Whether a command is still unsettled."""
        return bool(self.wanted)

    def _choose(self, call: Call, seen: Any) -> None:
        mine = {f"seat:{number}" for number in range(1, 53)} & set(seen["due"])
        items = [msgspec.convert(item, Move, strict=False) for item in seen["items"]]
        items = [item for item in items if item.kind not in _NOT_OF_THEIR_OWN]
        path = call.path
        if items and (mine or seen["due"] == ["host"]):
            action = self._bot.choose(items, _NO_TABLE)
            if_match = f'"{seen["position"]}"' if self._chance.random() < 0.3 else ""
            self.want(path, action, if_match)
        elif self._chance.random() < 0.02:
            self.want(path, {"type": self._chance.choice(["deal_hand", "start_game", "call_time"])})  # usually refused


_NOT_OF_THEIR_OWN: Final = frozenset({"call_time", "close_table", "leave_seat", "invite_player", "withdraw_invitation"})
_NO_TABLE: Final = Table("", "", 0, "", 0, 0, {}, (), {}, {})
