"""Services that differ only in the texts of a dispute, with people who may read the texts and people who may not."""

from collections.abc import Iterator
from typing import Any, Final

from werkzeug.test import TestResponse

from tests.http.disputes import Case
from tests.http.service import Person, Service, Table
from tests.tables.worlds import answer_parts

TEXTS: Final = ("I saw the queen.", "I won that hand, and everybody at the table saw it. " * 30)
"""The statement at each service; the answers and questions there are made from it."""
REASON: Final = "The rule is clear."


class Told:
    """A service with a dispute whose texts are made from *text*, people who may read them, and people who may not."""

    def __init__(self, service: Service, text: str, visibility: str) -> None:
        self.service = service
        self.case = case = Case(service, hands=9, visibility=visibility)
        number = case.opened(statement=text)
        case.do(number, case.auditor, "assignment")
        case.do(number, case.auditor, "question", question=f"{text}?")
        case.do(number, case.table.host, "answer", statement=f"{text}!")
        case.do(number, case.auditor, "decision", outcome="fault", rule="G.3", reason=REASON)
        case.do(number, case.auditor, "correction", transfers=[case.transfer(number)])
        service.keep_log()
        self.outsiders = {
            "spectator": service.spectator,
            "stranger": service.person("play", "host"),
            "host of another table": Table(service, 2).host,
            "approver": case.approver,
            "admin": service.person("admin", "metrics"),
            "auditor of another table": service.person("audit", limits=(Table(service, 2).id,)),
            "auditor of another dispute": service.person("audit", limits=(f"{case.table.id}/2",)),
        }
        self.readers = {
            "complainant": case.complainant,
            "other player": case.table.players[3],
            "host": case.table.host,
            "auditor": case.other_auditor,
        }

    def answers(self, who: Person) -> Iterator[tuple[str, Any]]:
        """Send as *who* all requests that could show a text; yield the name of each, and its response without hashes.

        The hashes are masked, because they differ with the texts.
        """
        table, path = self.case.table.path, self.case.path
        paths = [
            *(f"{table}{rest}" for rest in ("", "/events?limit=1000", "/balances", "/hands", "/hands/1", "/actions")),
            *(f"{table}{rest}" for rest in ("/hands/1/adjudication", "/disputes", "/disputes/1", "/disputes/2", "/me")),
            "/v1/tables",
            "/v1/disputes",
            "/v1/disputes?closed=true",
            "/v1/feed?limit=1000",
        ]
        for each in paths:
            yield each, _told(who.get(each))
        for step, body in (("answer", {"statement": "x"}), ("withdrawal", {}), ("refusal", {"proposal": 1})):
            yield step, _told(who.post(f"{path}/1/{step}", body, key="tried"))
        yield "open", _told(who.post(path, {"hand": 99, "ground": "time"}, key="tried"))


def _told(answer: TestResponse) -> tuple[int, dict[str, str], object, int]:
    """Return the parts of *answer* without Log-Checkpoint: the services read new checkpoints at different times."""
    status, headers, body, size = answer_parts(answer)
    return status, {name: value for name, value in headers.items() if name != "Log-Checkpoint"}, body, size
