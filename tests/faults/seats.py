"""A host invites players and withdraws invitations, while a faulty proxy is in front of the server's database."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from service.games.invitations import MOST_EVER
from tests.faults.faulty_proxy import Fault, FaultyProxy, Way
from tests.faults.people import impatient
from tests.once.clients import Crowd

IN_DOUBT: Final = "outcome_must_be_known"
NOTHING_RECORDED: Final = "database_must_answer"


class Seat:
    """A table of Bankrupt whose host invites a player and withdraws the invitation, again and again.

    `table` is the table's path. When a table can have no more invitations, the host opens another table.
    `passed` has the number of bytes that the last change sent each way.
    """

    def __init__(self, proxy: FaultyProxy, crowd: Crowd) -> None:
        self._proxy = proxy
        self._numbers = iter(range(1, 10**6))
        person = crowd.person("host", "play")
        self.person = impatient(person)
        self._open()
        self._does = self._changes()
        self.passed: dict[Way, int] = {}

    def _open(self) -> None:
        body = {"game": "bankrupt", "seats": 2, "options": {"buy_in": 12}}
        opened = self.person.post("/v1/tables", body, f"open {next(self._numbers)}")
        self.table = opened.headers["Location"]
        self._position = int(opened.json["receipt"]["position"])

    def change(self, fault: Fault | None) -> str:
        """Invite a player or withdraw the invitation, with *fault* in the proxy; then repeat the request with none.

        The command must be recorded exactly once. If the first response is a success, the repeat must get the same
        response. Return "done" if the first response is a success, and else its problem code.
        """
        path, body = next(self._does)
        key = f"change {next(self._numbers)}"
        self._proxy.count(fault)
        told = self.person.post(path, body, key)
        failed, self.passed = self._proxy.has_failed, self._proxy.passed
        self._proxy.count()
        again = self.person.post(path, body, key)
        assert again.status in {200, 201}, again
        first = again.json["events"][0]["leaf"]["position"]
        assert first == self._position + 1
        self._position = again.json["receipt"]["position"]
        if told.status in {200, 201}:
            assert again.is_replayed
            assert again.body == told.body
            return "done"
        code = str(told.json["code"])
        assert told.status == 503, told
        assert failed
        assert code in {IN_DOUBT, NOTHING_RECORDED}
        assert "Retry-After" in told.headers
        assert code == IN_DOUBT or not again.is_replayed
        return code

    def be_refused(self, fault: Fault) -> None:
        """Send a command that the rules refuse, during *fault*: it gets 409, or 503 if nothing was recorded."""
        path, body, key = f"{self.table}/actions", {"type": "start_game"}, f"refused {next(self._numbers)}"
        self._proxy.count(fault)
        told = self.person.post(path, body, key)
        self._proxy.count()
        assert told.status == 409 or (told.status, told.json["code"]) == (503, NOTHING_RECORDED)
        assert self.person.post(path, body, key).status == 409

    def _changes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for number in count(1):
            player = f"own_{number:032x}"
            yield f"{self.table}/actions", {"type": "invite_player", "player": player}
            yield f"{self.table}/actions", {"type": "withdraw_invitation", "player": player}
            if number % MOST_EVER == 0:
                self._open()


def traffic_of(seat: Seat) -> dict[Way, int]:
    """Return the largest number of bytes that a change sends each way over a new connection."""
    passed = []
    for _ in range(4):
        seat.change(Fault(Way.THERE, 0))
        assert seat.change(None) == "done"
        passed.append(seat.passed)
    return {way: max(one[way] for one in passed) for way in Way}
