"""Records examples of successful responses, from a deterministic service: run this module to update the examples."""

# ruff: noqa: ANN401 -- JSON may be any value

import json
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final

from service.api_keys.repository import Scope
from service.database.engines import make_engine
from service.database.schema_check import migrate
from service.entropy import Entropy
from service.games import CURRENT
from service.games.game import type_name
from service.http.openapi import examples
from tests.games.facts import buy_in_of, facts_of
from tests.http.disputes import Case
from tests.http.service import Person, Service, running

EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
_FIRST: Final = next(iter(CURRENT))
"""A whole hand of this game is recorded; of each other game, only a table after the deal."""


class Unchanging(Entropy):
    """A source of entropy and time without randomness: numbers are counted up, and the clock stands still."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def secret(self) -> bytes:
        return sha256(b"secret %d" % next(self._numbers)).digest()

    def nonce(self) -> bytes:
        return next(self._numbers).to_bytes(12, "big")

    def now(self) -> str:
        return "2026-07-14T20:15:00.000Z"

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):032x}"

    def monotonic(self) -> float:
        return 1.0


class Recorder:
    """Sends requests to a service, and records each response under a name."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.found: dict[str, Any] = {}

    def person(self, *scopes: Scope) -> Person:
        return self.service.person(*scopes)

    def ask(self, name: str, who: Person, path: str, body: Any = None, **headers: str) -> Any:
        """Get *path*, or post *body* there with *name* as Idempotency-Key; record the response, and return its body."""
        answer = who.get(path, **headers) if body is None else who.post(path, body, key=name.replace(" ", "-"))
        assert answer.status_code < 400, answer.get_data(as_text=True)
        method = "GET" if body is None else "POST"
        operation = self.service.contract.operation(self.service.app, method, path)
        assert operation is not None
        forms = self.found.setdefault(operation["operationId"], {}).setdefault(str(answer.status_code), {})
        value = answer.get_json() if answer.is_json else answer.get_data(as_text=True)
        forms.setdefault(str(answer.content_type), {})[name] = value
        return value

    def ask_endless(self, name: str, who: Person, path: str, last: str) -> None:
        """Get *path* as Server-Sent Events, and record the response up to the part that begins with *last*."""
        headers = {"Accept": EVENTS, "Authorization": f"Bearer {who.token}"}
        answer = self.service.app.test_client().get(path, headers=headers, buffered=False)
        parts: list[str] = []
        for part in answer.iter_encoded():
            parts.append(part.decode())
            if parts[-1].startswith(last):
                break
        answer.close()
        operation = self.service.contract.operation(self.service.app, "GET", path)
        assert operation is not None
        self.found[operation["operationId"]]["200"].setdefault(EVENTS, {})[name] = "".join(parts)


def record(folder: Path) -> dict[str, Any]:
    """Send all requests to a new service in *folder*; return the responses as `ANSWERS_FILE` has them."""
    url = f"sqlite:///{folder / 'examples.db'}"
    engine = make_engine(url)
    migrate(engine)
    engine.dispose()
    with running(folder, url, entropy=Unchanging()) as service:
        recorder = Recorder(service)
        _keys(recorder)
        _games(recorder)
        _a_closed_table(recorder)
        tables = {game: _a_dealt_table(recorder, game) for game in CURRENT}
        recorder.ask("the newest two", service.spectator, "/v1/tables?limit=2")
        _a_hand(recorder, *tables[_FIRST])
        _the_log(recorder, *tables[_FIRST])
        _the_service_stream(recorder)
        _a_dispute(recorder)
        _exports(recorder, *tables[_FIRST])
    return recorder.found


def _keys(recorder: Recorder) -> None:
    host = recorder.person("host")
    recorder.ask("for a player", host, "/v1/keys", {"scopes": ["play"], "label": "Ann"})
    recorder.ask("the keys of a host", host, "/v1/keys")
    recorder.ask("a host", host, "/v1/whoami")
    recorder.ask("a spectator", recorder.service.spectator, "/v1/whoami")


def _games(recorder: Recorder) -> None:
    spectator = recorder.service.spectator
    recorder.ask("all games", spectator, "/v1/games")
    game = recorder.ask(f"{_FIRST}, abridged", spectator, f"/v1/games/{_FIRST}")
    # Spectral treats an object with a member `default` as a schema; only objects that are valid schemas stay.
    game["options"] = game["options"][:1]
    game["actions"] = [action for action in game["actions"] if not action["members"]]
    recorder.ask("running", spectator, "/healthz")
    recorder.ask("ready", spectator, "/readyz")


def _a_closed_table(recorder: Recorder) -> None:
    """Record all events of a table that its host closes immediately, because the stream of such a table ends."""
    host = recorder.person("host")
    path = f"/v1/tables/{recorder.ask('with the defaults', host, '/v1/tables', {'game': _FIRST})['table']}"
    recorder.ask("a table is closed", host, f"{path}/actions", {"type": "close_table"})
    recorder.ask("all of a short table", host, f"{path}/events")
    recorder.ask("all of a short table", host, f"{path}/events", Accept=LINES)
    recorder.ask("all of a short table", host, f"{path}/events", Accept=EVENTS)


def _a_dealt_table(recorder: Recorder, game: str) -> tuple[str, dict[str, Person]]:
    """Open a table, seat its players and deal; return the table's path, and the people by actor."""
    example = facts_of(game).example
    chips = buy_in_of(game, example.get("options", {}))
    host = recorder.person("host")
    path = f"/v1/tables/{host.post('/v1/tables', {'game': game, **example}, key=game).get_json()['table']}"
    seats = len(host.get(path).get_json()["seats"])
    people = {"host": host} | {f"seat:{seat}": recorder.person("play") for seat in range(1, seats + 1)}
    for name, player in people.items():
        if name != "host":
            body = {"chips": chips}
            if (game, name) == (_FIRST, "seat:1"):
                recorder.ask("the first seat", player, f"{path}/seats", body)
            else:
                player.post(f"{path}/seats", body)
    host.do(path, "start_game")
    due = host.get(path).get_json()["due"][0]
    people[due].do(path, "deal_hand")
    due = host.get(path).get_json()["due"][0]
    recorder.ask(game, people[due], path)
    recorder.ask(f"a player of {game}", people[due], f"{path}/actions")
    return path, people


def _the_service_stream(recorder: Recorder) -> None:
    auditor = recorder.person("audit")
    recorder.ask("its first two events", auditor, "/v1/log/events?limit=2")
    recorder.ask("the first event", auditor, "/v1/log/events/1/proof")
    recorder.ask("the newest table", auditor, "/v1/audit/players?limit=1")


def _a_hand(recorder: Recorder, path: str, people: dict[str, Person]) -> None:
    """Record a dry run and a decision at *path*; play the hand to its end, and record the responses about it."""
    host = people["host"]
    due = host.get(path).get_json()["due"][0]
    first = next(_usual(people[due].get(f"{path}/actions").get_json()["items"]))
    for name, query in (("it would be accepted", "?dry_run=true"), ("it is recorded", "")):
        recorder.ask(name, people[due], f"{path}/actions{query}", first)
    while not host.get(f"{path}/hands").get_json()["items"][0]["is_settled"]:
        due = host.get(path).get_json()["due"][0]
        items = people[due].get(f"{path}/actions").get_json()["items"]
        people[due].post(f"{path}/actions", next(_usual(items)))
    recorder.ask("a player", people["seat:1"], f"{path}/me")
    recorder.ask("the first", host, f"{path}/events/1")
    recorder.ask("of a table", host, f"{path}/balances")
    recorder.ask("of a stack", host, f"{path}/accounts/stack:1/postings?limit=3")
    recorder.ask("of the first hand", host, f"{path}/flows?hand=1")
    recorder.ask("the hands of a table", host, f"{path}/hands")
    recorder.ask("the first", host, f"{path}/hands/1")
    recorder.ask("the first", host, f"{path}/hands/1/adjudication")


def _a_dispute(recorder: Recorder) -> None:
    """Record a dispute with a refused correction and an approved correction, and the withdrawal of a second dispute."""
    case = Case(recorder.service)
    path, number = case.path, 1
    one, auditor = f"{path}/{number}", case.auditor
    recorder.ask("of a payout", case.complainant, path, {"hand": 1, "ground": "payout", "statement": "I won that."})
    recorder.ask("of the host", case.table.host, f"{one}/answer", {"statement": "Look at rule 5."})
    recorder.ask("the open disputes", auditor, "/v1/disputes")
    recorder.ask("the first", auditor, f"{one}/assignment", {})
    recorder.ask("a question", auditor, f"{one}/question", {"question": "When?", "asked": [case.opponent.owner]})
    recorder.ask("to another auditor", auditor, f"{one}/return", {})
    case.do(number, case.auditor, "assignment")
    decision = {"outcome": "fault", "rule": "G.3", "reason": "The host called time during an outage."}
    recorder.ask("a fault", auditor, f"{one}/decision", decision)
    for name, step in (("a correction", "refusal"), ("another correction", "approval")):
        body = {"transfers": [case.transfer(number)]}
        proposal = recorder.ask(name, auditor, f"{one}/correction", body)["position"]
        recorder.ask(f"of {name}", case.approver, f"{one}/{step}", {"proposal": proposal})
    second = case.opened(case.opponent)
    recorder.ask("the second", case.opponent, f"{path}/{second}/withdrawal", {})
    recorder.ask("of a table", auditor, path)
    recorder.ask("as an auditor reads it", auditor, one)
    recorder.service.keep_log()
    recorder.ask("of the opening", auditor, f"{path}/events/1/proof")


def _exports(recorder: Recorder, path: str, people: dict[str, Person]) -> None:
    """Record exports of the table at *path*, and of all tables, and the statement of a player."""
    auditor = recorder.person("audit")
    recorder.ask("hand histories", auditor, f"{path}/export?format=text")
    recorder.ask("the seats of each hand", auditor, f"{path}/export?format=csv&sheet=hands")
    recorder.ask("a journal without transfers", auditor, "/v1/audit/export?until=2026-07-01T00:00:00Z")
    recorder.ask("the hands of all tables", auditor, "/v1/audit/export?format=csv&sheet=hands")
    recorder.ask("one table", people["seat:1"], "/v1/me/statement?limit=1")


def _the_log(recorder: Recorder, path: str, people: dict[str, Person]) -> None:
    """Record the files of the log as a whole, the proof of the first event at *path*, and the host's feed."""
    size = recorder.service.keep_log().split("\n")[1]
    spectator = recorder.service.spectator
    recorder.ask("the keys", spectator, "/v1/log/key")
    recorder.ask("the newest", spectator, "/v1/log/checkpoint")
    recorder.ask("of the first event", spectator, f"{path}/events/1/proof")
    recorder.ask("of the first leaf", spectator, f"/v1/log/consistency/1/{size}")
    host = people["host"]
    recorder.ask("the first event of a host's tables", host, "/v1/feed?limit=1")
    *_, before, last = host.get("/v1/feed?limit=1000").get_json()["items"]
    recorder.ask("the last event of a host's tables", host, f"/v1/feed?after={before['cursor']}", Accept=LINES)
    begins = f"id: {last['cursor']}\n"
    recorder.ask_endless("the last event of a host's tables", host, f"/v1/feed?after={before['cursor']}", begins)
    admin = recorder.person("admin")
    recorder.ask("the tree", admin, "/v1/log/tree?since=5")
    lines = spectator.get("/v1/log/checkpoint").text.splitlines()
    recorder.ask("signed elsewhere", admin, "/v1/log/checkpoint", {"checkpoint": lines})


def _usual(items: Any) -> Iterator[Any]:
    rare = {type_name(command) for command in CURRENT[_FIRST].commands if command.IS_RARE}
    yield from (item["action"] for item in items if item["action"]["type"] not in rare)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        text = json.dumps(record(Path(temporary)), indent=1, ensure_ascii=False) + "\n"
    examples.ANSWERS_FILE.write_text(text, encoding="utf-8")
