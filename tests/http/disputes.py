"""A played table whose hands can be disputed, and the people who take part in a dispute."""

# ruff: noqa: ANN401 -- JSON may be any value

from http.client import OK
from random import Random
from typing import Any, Final

from werkzeug.test import TestResponse

from tests.dossier.made import play
from tests.http.service import Person, Service, Table, accepted

HANDS: Final = 9
"""Once this many hands of Bankrupt are dealt, the deck of the hands 1 to 3, which the tests dispute, is retired."""


class Case:
    """A table with some played hands, its players and host, two auditors and two approvers."""

    def __init__(self, service: Service, hands: int = HANDS, players: int = 4, **more: Any) -> None:
        self.service = service
        self.table = table = Table(service, players, **(more if "game" in more else {"buy_in": 100, **more}))
        if more.get("visibility") == "private":
            for player in table.players.values():
                accepted(table.host.do(table.path, "invite_player", player=player.owner))
        table.started()
        play(service, table, hands, Random(f"{hands}"))
        self.auditor, self.other_auditor = service.person("audit"), service.person("audit")
        self.approver, self.other_approver = service.person("approve"), service.person("approve")
        self.complainant, self.opponent = self.table.players[1], self.table.players[2]
        self.path = f"{self.table.path}/disputes"

    def open(self, who: Person | None = None, hand: int = 1, key: str = "", **more: Any) -> TestResponse:
        body = {"hand": hand, "ground": "payout", **more}
        return (who or self.complainant).post(self.path, body, key=key)

    def opened(self, who: Person | None = None, hand: int = 1, **more: Any) -> int:
        """Open a dispute, and return its number."""
        return int(accepted(self.open(who, hand, **more), 201).json["dispute"]["dispute"])

    def step(self, number: int, who: Person, step: str, key: str = "", /, **body: Any) -> TestResponse:
        return who.post(f"{self.path}/{number}/{step}", body, key=key)

    def do(self, number: int, who: Person, step: str, /, **body: Any) -> Any:
        """Take a step, and return the response's body."""
        return accepted(self.step(number, who, step, **body)).json

    def taken(self, **more: Any) -> int:
        """Open a dispute that the auditor takes on, and return its number."""
        number = self.opened(**more)
        self.do(number, self.auditor, "assignment")
        return number

    def decided(self, outcome: str = "fault", **more: Any) -> int:
        """Open a dispute that the auditor decides, and return its number."""
        number = self.taken(**more)
        self.do(number, self.auditor, "decision", outcome=outcome, rule="G.3", reason="So it is.")
        return number

    def transfer(self, number: int, amount: int = 5, **more: Any) -> dict[str, Any]:
        """Return a transfer from the opponent to the complainant."""
        first = self.view(number)["evidence"]["first"]
        return {
            "source": self.opponent.owner,
            "target": self.complainant.owner,
            "amount": amount,
            "unit": "chips",
            "corrects": first,
            "rule": "G.3",
        } | more

    def proposed(self, **more: Any) -> tuple[int, int]:
        """Propose a correction in a new dispute; return the dispute's number and the proposal's position."""
        number = self.decided(**more)
        done = self.do(number, self.auditor, "correction", transfers=[self.transfer(number)])
        return number, int(done["position"])

    def leave(self, who: Person) -> None:
        """Play until *who* may leave the table, at the latest at the end of the hand; then let *who* leave."""
        for _ in range(50):
            if who.do(self.table.path, "leave_seat").status_code == OK:
                return
            due = self.table.players[int(self.table.view()["due"][0].removeprefix("seat:"))]
            first, *_ = accepted(due.get(f"{self.table.path}/actions")).json["items"]
            accepted(due.post(f"{self.table.path}/actions", first["action"]))
        raise AssertionError("The hand does not end.")

    def view(self, number: int, who: Person | None = None) -> Any:
        return accepted((who or self.auditor).get(f"{self.path}/{number}")).json
