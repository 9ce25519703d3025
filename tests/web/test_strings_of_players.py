"""Every page shows what people write, in the label of a key or about a dispute, as text and as nothing else."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urlsplit

import pytest

from service.api_keys.repository import SCOPES
from tests.databases import Databases
from tests.http.disputes import Case
from tests.http.service import accepted, running
from tests.web.looking import paths
from tests.web.world import Visitor

MARK: Final = "MARK"
TEXTS: Final = (
    f'<script>alert("{MARK}")</script>',
    f"\"'><img src=x onerror=alert({MARK})>",
    f"' onmouseover='alert({MARK})",
    f"javascript:alert({MARK})",
    f"{{{{ {MARK} }}}}{{% raw %}}",
    f"</title></textarea></main><svg/onload=alert({MARK})>",
    f"<!--{MARK}",
    f"&lt;{MARK}&gt;&#x3c;",
    f"{MARK} \u05e9\u05dc\u05d5\u05dd (1) [2]",
    MARK * 20,
)
UNSEEN: Final = {"\u202e": "U+202E", "\u2066": "U+2066", "\x07": "U+0007", "\x1b": "U+001B", "\u200f": "U+200F"}
ODD: Final = f"{MARK}{''.join(UNSEEN)}[31m"
"""No API takes these characters in a text, but anybody can type them into an address."""
EVERYTHING: Final = " ".join(TEXTS)
ADDRESSES: Final = frozenset({"href", "src", "action", "formaction", "data", "poster", "srcset", "ping", "cite"})


class Read(HTMLParser):
    """Reads a page as a browser does: *text* is its text, and *faults* are elements that run or load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.faults: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in {"style", "iframe", "object", "embed", "base"} or (tag == "script" and not given.get("src")):
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or name in {"style", "srcdoc"}:
                self.faults.append(f"{tag} {name}")
            if name in ADDRESSES and (urlsplit(value or "").scheme or (value or "").startswith("//")):
                self.faults.append(f"{tag} {name}={value}")
        if tag == "meta" and given.get("http-equiv"):
            self.faults.append("meta http-equiv")

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def case(all_databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """Yield a case with a dispute whose texts are all EVERYTHING, at a service with a key for each label in TEXTS."""
    with all_databases.migrated("sqlite") as url, running(tmp_path_factory.mktemp("strings"), url) as service:
        case = Case(service)
        number = case.opened(statement=EVERYTHING)
        case.do(number, case.auditor, "assignment")
        case.do(number, case.auditor, "question", question=EVERYTHING)
        case.do(number, case.opponent, "answer", statement=EVERYTHING)
        case.do(number, case.auditor, "decision", outcome="fault", rule="G.3", reason=EVERYTHING)
        for label in TEXTS:
            accepted(case.table.host.post("/v1/keys", {"label": label}), 201)
        service.keep_log()
        yield case


def looked_at(case: Case) -> Iterator[tuple[str, str]]:
    """Yield each page of each viewer, with its path."""
    examples = {"table": case.table.id, "hand": "1", "account": "stack:1", "dispute": "1", "game": "bankrupt"}
    everybody = (case.service.person(*SCOPES), case.complainant, case.opponent, case.auditor, case.table.host)
    for person in everybody:
        visitor = Visitor(case.service, person.token)
        for path in paths(examples):
            answer = visitor.client.get(path, buffered=False)
            if answer.mimetype == "text/html":
                yield path, answer.text
            answer.close()


def test_what_people_write_is_text_on_every_page(case: Case) -> None:
    found = set()
    for path, page in looked_at(case):
        read = Read(page)
        assert read.faults == [], path
        assert not set(UNSEEN) & set(page), path
        if MARK in read.text:
            found.add(path)
            shown = [text for text in TEXTS if text in read.text]
            assert len(shown) == len(TEXTS), path
    assert f"{case.path.removeprefix('/v1')}/1" in found


def test_what_somebody_types_into_an_address_or_a_form_is_text(case: Case) -> None:
    visitor = Visitor(case.service, case.complainant.token)
    for text in (*TEXTS, ODD):
        for path in ("/", "/tables", f"/tables/{case.table.id}", "/sign-in"):
            for name in ("at", "game", "status", "after", "limit", "hand", "q"):
                answer = visitor.client.get(path, query_string={name: text})
                assert Read(answer.text).faults == [], (path, name, text)
        assert Read(visitor.client.get(f"/tables/{text}").text).faults == []
        assert Read(visitor.post("/sign-in", key=text).text).faults == []


@pytest.mark.parametrize("text", [text for text in TEXTS if "alert" in text])
def test_what_would_run_is_found(text: str) -> None:
    read = Read(f"<p>{text}</p><a href=\"{text}\" class='{text}'>x</a>")
    assert read.faults
