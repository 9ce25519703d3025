"""An auditing witness reads every entry before it cosigns, refuses a fork, and goes on after failed hands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from service import merkle
from service.canonical import canonical
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import EMPTY, Head
from service.event_store.leaf import NO_HASH, leaf_hash
from service.games import EVENTS, GAMES
from service.games.definition import Game
from service.games.game import Decision
from service.secrets.keyring import KeyFileError
from service.secrets.openings import FieldOpening
from service.transparency import checkpoint, tiles
from service.transparency.checkpoint import Checkpoint
from service.transparency.tiles import Tile
from service.transparency.witnesses.submission import Submission
from service.witness.auditing import auditor, table_judge
from service.witness.auditing.audit_store import AuditStore, NewEntry
from service.witness.auditing.auditor import Auditor
from service.witness.auditing.log_source import SourceFailed
from service.witness.auditing.table_judge import TableJudge
from service.witness.cosigner import Answer, Cosigner
from tests.audit.forging import CODEC
from tests.audit.recording import Record, decks_of, played, record, with_members
from tests.clocks import Clock
from tests.games import random_play
from tests.games.random_play import TABLE
from tests.witness.logs import SomeLog, new_cosigner, new_file

KEY: Final = SomeLog()
SIMPLE: Final = next(iter(GAMES.values()))
SEED: Final = 1


class Log:
    """A log whose service has `leaves`, and shows the openings in `given`."""

    def __init__(self) -> None:
        self.leaves: list[bytes] = []
        self.given: Mapping[FieldPlace, FieldOpening] = {}
        self.read: list[Tile] = []
        self.is_silent = False

    def entries(self, tile: Tile) -> list[bytes]:
        if self.is_silent:
            raise SourceFailed("The log's service does not answer.")
        self.read.append(tile)
        first = tile.number * tiles.WIDTH
        return self.leaves[first : first + tile.width]

    def tiles(self, wanted: Iterable[Tile]) -> dict[Tile, bytes]:
        made = tiles.extended(0, {}, [leaf_hash(leaf) for leaf in self.leaves])
        whole = {(tile.level, tile.number): hashes for tile, hashes in made.items()}
        return {one: whole[one.level, one.number][: one.width * tiles.HASH_BYTES] for one in wanted}

    def openings(self, table: str, after: int, head: int) -> Mapping[FieldPlace, FieldOpening]:
        assert table == TABLE
        assert 0 <= after < head
        if self.is_silent:
            raise SourceFailed("The log's service does not answer.")
        return self.given

    def add(self, *added: bytes) -> int:
        self.leaves += added
        return len(self.leaves)

    def submission(self, old: int, leaves: Sequence[bytes] | None = None) -> bytes:
        """Return the body that submits the tree of *leaves*, or of all leaves, after the tree with *old* leaves."""
        hashes = [leaf_hash(leaf) for leaf in (self.leaves if leaves is None else leaves)]
        signed = checkpoint.signed(Checkpoint(KEY.origin, len(hashes), merkle.root(hashes)), KEY.private_key)
        proof = [merkle.root(hashes[first:end]) for first, end in merkle.consistency_ranges(old, len(hashes))]
        return bytes(Submission(old, tuple(proof), checkpoint.parsed(signed), signed))


class Audit:
    """An auditing witness of a log."""

    def __init__(self, folder: Path) -> None:
        self.log = Log()
        self.folder = folder
        self.path = new_file(folder)
        self.size = 0
        self.clock = Clock()
        self.start()

    def start(self) -> None:
        """Start the witness, or start it again after a kill."""
        self.store = AuditStore(self.folder / "copy", KEY.origin)
        self.witness: Cosigner = new_cosigner(self.path, [KEY], Auditor(self.log, self.store, self.clock).look)
        shuffle = decks_of(SEED).deck
        self.judge = TableJudge(self.log, self.store, CODEC, self.clock, lambda epoch, *_: shuffle(epoch))

    def ask(self) -> Answer:
        """Submit the whole log."""
        answer = self.witness.add_checkpoint(self.log.submission(self.size))
        if answer.status == 200:
            self.size = len(self.log.leaves)
        return answer

    def page(self) -> Any:  # noqa: ANN401  # JSON
        self.judge.look()
        return json.loads(self.judge.page().body)


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(tmp_path)


@pytest.fixture(autouse=True)
def committed_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_play, "decks_of", decks_of)


def event(stream: str, position: int, prev: str, type_: str = "something", **more: object) -> bytes:
    return canonical({"stream": stream, "position": position, "prev": prev, "type": type_, **more})


def chain(stream: str, length: int, **more: object) -> list[bytes]:
    """Return a stream of *length* entries with an intact hash chain."""
    leaves: list[bytes] = []
    for position in range(1, length + 1):
        prev = leaf_hash(leaves[-1]).hex() if leaves else NO_HASH
        leaves.append(event(stream, position, prev, "table_opened" if position == 1 else "something", **more))
    return leaves


def mixed(*streams: Sequence[bytes], seed: int = 1) -> list[bytes]:
    """Return the entries of *streams* in a random order that keeps the order of each stream."""
    left, chance, found = [list(one) for one in streams], Random(seed), []
    while any(left):
        found.append(chance.choice([one for one in left if one]).pop(0))
    return found


def leaves_of(events: Iterable[RecordedEvent]) -> list[bytes]:
    return [one.leaf for one in events]


def said(answer: Answer) -> str:
    return answer.body.decode()


def test_every_entry_is_read_once_and_before_the_cosignature(audit: Audit) -> None:
    each = mixed(*(chain(f"table/{name}", 300) for name in "abc"), chain("service/log", 20))
    for end in (1, 255, 257, 600, len(each)):
        audit.log.leaves = each[:end]
        audit.log.read.clear()
        before = audit.size
        assert audit.ask().status == 200
        assert audit.store.tree().size == end
        assert min(tile.number for tile in audit.log.read) == before // 256
    assert audit.page()["entries"] == len(each)


def test_a_witness_that_is_started_again_does_not_read_everything_again(audit: Audit) -> None:
    each = chain("table/a", 700)
    audit.log.add(*each[:600])
    assert audit.ask().status == 200
    audit.start()
    audit.log.read.clear()
    audit.log.add(*each[600:])
    assert audit.ask().status == 200
    assert [tile.number for tile in audit.log.read] == [2]


def test_without_its_copy_a_witness_reads_everything_again(audit: Audit) -> None:
    audit.log.add(*chain("table/a", 300))
    assert audit.ask().status == 200
    audit.store.close()
    for path in audit.folder.glob("copy*"):
        path.unlink()
    audit.start()
    audit.log.add(*chain("table/b", 1))
    assert audit.ask().status == 200
    assert audit.store.tree().size == 301


def two_histories(other: str) -> tuple[list[bytes], str]:
    """Return the leaves of a log with a fork or another fault, and words with which the witness refuses the log."""
    one = chain("table/a", 4)
    second = chain("table/a", 4, seats=3)
    match other:
        case "two histories":
            return [*one[:3], event("table/a", 3, leaf_hash(one[1]).hex(), note="other")], "table/a at position 3"
        case "the same event twice":
            return [*one, one[3]], "table/a at position 4"
        case "two tables under one id":
            return [*one[:2], *second[:1]], "Two tables have one id: table/a at position 1"
        case "a table opened twice in one history":
            again = event("table/a", 3, leaf_hash(one[1]).hex(), "table_opened")
            return [*one[:2], again], "Two tables have one id: table/a at position 3"
        case "another event before it":
            return [*one[:2], second[2]], "table/a at position 3"
        case "a gap":
            return [one[0], one[2]], "A gap: table/a at position 3"
        case "a first event that names one before it":
            return [event("table/a", 1, "0" * 63 + "1")], "table/a at position 1"
        case "a position below one":
            return [event("table/a", 0, NO_HASH)], "table/a at position 0"
        case "not canonical":
            return [*one[:2], one[2].replace(b":", b": ", 1)], "The entry 2 is not"
        case "two places in one entry":
            twice = one[2].replace(b'"position":3', b'"position":9,"position":3')
            return [*one[:2], twice], "The entry 2 is not"
        case "no event":
            return [*one[:2], b"\xff\x00"], "The entry 2 is not"
        case "deeply nested":
            return [*one[:2], b"[" * 20_000], "The entry 2 is not"
        case "a stream with a control character":
            return [event("table/\x1b[2J", 2, NO_HASH)], "A gap: table/\\x1b[2J at position 2"
        case _:
            raise AssertionError(other)


KINDS = (
    "two histories", "the same event twice", "two tables under one id", "a table opened twice in one history",
    "another event before it", "a gap", "a first event that names one before it", "a position below one",
    "not canonical", "two places in one entry", "no event", "deeply nested", "a stream with a control character",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_fork_is_refused_named_and_refused_for_ever(audit: Audit, kind: str) -> None:
    forked, place = two_histories(kind)
    sound = chain("table/b", 2)
    audit.log.add(*sound)
    assert audit.ask().status == 200
    audit.log.add(*forked)
    with capture_logs() as lines:
        answer = audit.ask()
    shown = place.replace("The entry 2", "The entry 4")
    assert (answer.status, shown in said(answer)) == (403, True), said(answer)
    assert [line["event"] for line in lines] == ["log_has_a_fork"]
    audit.start()
    audit.log.add(*chain("table/c", 1))
    assert said(audit.ask()) == said(answer)
    assert audit.page()["fork"] == said(answer).removesuffix("\n")
    plain = new_cosigner(new_file(audit.folder, "plain"), [KEY])
    assert plain.add_checkpoint(audit.log.submission(0)).status == 200, "a witness that reads nothing finds no fork"


def test_entries_that_differ_from_the_checkpoint_are_not_kept(audit: Audit) -> None:
    true = chain("table/a", 20_000)
    shown = chain("table/a", 20_000, note="other")
    audit.log.leaves = shown
    for signed in (true, true[:10_000], true[:255]):
        answer = audit.witness.add_checkpoint(audit.log.submission(0, signed))
        assert (answer.status, "differ from the checkpoint" in said(answer)) == (503, True)
        assert audit.store.tree().size == 0
    audit.log.leaves = true
    assert audit.ask().status == 200


def test_a_service_that_does_not_answer_can_be_asked_later(audit: Audit) -> None:
    audit.log.add(*chain("table/a", 3))
    audit.log.is_silent = True
    answer = audit.ask()
    assert (answer.status, dict(answer.headers)) == (503, {"retry-after": "5"})
    audit.log.is_silent = False
    assert audit.ask().status == 200


def test_a_long_log_is_read_over_several_requests(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    audit.log.add(*chain("table/a", 1_000))
    monkeypatch.setattr(auditor, "_CHUNK_TILES", 1)
    read = audit.log.entries

    def slow(tile: Tile) -> list[bytes]:
        audit.clock.seconds += 25
        return read(tile)

    monkeypatch.setattr(audit.log, "entries", slow)
    answer = audit.ask()
    assert (answer.status, said(answer)) == (503, "512 of 1,000 entries were read so far.\n")
    assert audit.ask().status == 200


def test_a_checkpoint_before_the_end_of_the_copy_is_compared_with_it(audit: Audit) -> None:
    each = chain("table/a", 700)
    audit.log.add(*each)
    fresh = new_file(audit.folder, "fresh")
    assert audit.ask().status == 200
    witness = new_cosigner(fresh, [KEY], Auditor(audit.log, audit.store, audit.clock).look)
    forged = [*each[:299], chain("table/a", 300, note="other")[-1]]
    assert witness.add_checkpoint(audit.log.submission(0, forged)).status == 503
    assert witness.add_checkpoint(audit.log.submission(0, each[:300])).status == 200


def test_the_copy_of_another_log_is_refused(audit: Audit) -> None:
    with pytest.raises(KeyFileError, match="is a copy of the log"):
        AuditStore(audit.folder / "copy", "log.example/other")
    assert (audit.folder / "copy").stat().st_mode & 0o077 == 0


def sealing() -> Record:
    """Return a whole game that has sealed fields."""
    each = (record(played(one, SEED)) for one in GAMES.values())
    return next(one for one in each if one.openings)


@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in GAMES.values()])
def test_a_whole_game_is_clean_with_its_openings(audit: Audit, one: Game) -> None:
    whole = record(played(one, SEED))
    audit.log.add(*leaves_of(whole.events))
    audit.log.given = whole.openings
    assert audit.ask().status == 200
    assert audit.page() == {
        "entries": len(whole.events), "fork": "", "streams": {"clean": 1}, "findings": []
    }  # fmt: skip


def test_a_failed_hand_is_published_and_does_not_silence_the_witness(audit: Audit) -> None:
    facts = played(SIMPLE, SEED)
    place = next(place for place, fact in enumerate(facts) if fact.event.transfers)
    first, *rest = facts[place].event.transfers
    more = type(first)(first.source, first.target, first.amount + 1, first.unit, first.rule)
    forged = record(with_members(facts, place, transfers=(more, *rest)))
    audit.log.add(*leaves_of(forged.events))
    audit.log.given = forged.openings
    assert audit.ask().status == 200
    with capture_logs() as lines:
        page = audit.page()
    assert page["streams"] == {"failed": 1}
    assert page["findings"][0]["stream"] == f"table/{TABLE}"
    assert place + 1 in {one["position"] for one in page["findings"]}
    assert "found" not in page["findings"][0], "the values of a private table are not published"
    assert {line["event"] for line in lines} == {"table_failed"}
    audit.log.add(*chain("table/b", 1))
    assert audit.ask().status == 200


def test_a_pending_hand_is_judged_again_once_its_deck_is_revealed(audit: Audit) -> None:
    whole = record(played(SIMPLE, SEED))
    leaves = leaves_of(whole.events)
    end = before_a_reveal(whole)
    audit.log.add(*leaves[:end])
    assert audit.ask().status == 200
    assert audit.page()["streams"] == {"pending": 1}
    assert audit.judge.look() == 0, "without news there is nothing to judge"
    audit.log.add(*leaves[end:])
    assert audit.ask().status == 200
    assert audit.page()["streams"] == {"clean": 1}


def grown(audit: Audit, whole: Record, steps: int) -> list[str]:
    """Let the log grow to *whole* in so many *steps*; return the stream's verdict after each step."""
    leaves, verdicts = leaves_of(whole.events), []
    for step in range(1, steps + 1):
        audit.log.add(*leaves[len(audit.log.leaves) : step * len(leaves) // steps])
        audit.log.given = whole.openings
        assert audit.ask().status == 200
        verdicts += audit.page()["streams"]
    return verdicts


def decoded(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the position of each leaf that the judge decodes."""
    positions: list[int] = []

    class Counting(Codec):
        def decode(self, leaf: bytes) -> RecordedEvent:
            found = super().decode(leaf)
            positions.append(found.position)
            return found

    monkeypatch.setattr(audit.judge, "_codec", Counting(EVENTS))
    return positions


def test_a_command_judged_for_good_is_not_judged_again(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sealing()
    positions = decoded(audit, monkeypatch)
    assert grown(audit, whole, 20)[-1] == "clean"
    assert len(positions) < 5 * len(whole.events), "twenty looks at all events would decode ten times as many"
    positions.clear()
    audit.store.judge(f"table/{TABLE}", 0, "", [])
    assert audit.page()["streams"] == {"clean": 1}
    assert len(positions) < len(whole.events) // 10


def test_a_witness_that_is_killed_between_two_looks_judges_the_same(audit: Audit) -> None:
    whole = sealing()
    verdicts = grown(audit, Record(whole.events[: len(whole.events) // 2], whole.openings), 5)
    audit.start()
    assert {*verdicts, *grown(audit, whole, 5)} <= {"clean", "pending", "waiting"}
    assert audit.page()["streams"] == {"clean": 1}


def test_nothing_is_kept_of_tables_that_were_not_judged_lately(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_judge, "_MOST_KEPT", 2)
    audit.log.add(*mixed(*(chain(f"table/tbl_{number:032x}", 2) for number in range(5))))
    assert audit.ask().status == 200
    assert audit.page()["streams"] == {"failed": 5}
    assert len(audit.judge._kept) == 2


def before_a_reveal(whole: Record) -> int:
    """Return the number of events before the first command that reveals a deck."""
    reveal = next(place for place, one in enumerate(whole.events) if one.type == "deck_revealed")
    return max(place for place, one in enumerate(whole.events[: reveal + 1]) if isinstance(one.event, Decision))


def test_a_command_is_judged_later_if_its_last_events_are_missing(audit: Audit) -> None:
    whole = record(played(SIMPLE, SEED))
    leaves, end = leaves_of(whole.events), before_a_reveal(whole) + 1
    audit.log.add(*leaves[:end])
    assert audit.ask().status == 200
    for _ in range(2):
        assert audit.page()["streams"] == {"waiting": 1}
    audit.log.add(*leaves[end:])
    assert audit.ask().status == 200
    assert audit.page()["streams"] == {"clean": 1}


def test_a_command_whose_last_events_do_not_come_has_failed_after_a_minute(audit: Audit) -> None:
    whole = record(played(SIMPLE, SEED))
    end = before_a_reveal(whole) + 1
    audit.log.add(*leaves_of(whole.events)[:end])
    assert audit.ask().status == 200
    assert audit.page()["streams"] == {"waiting": 1}
    audit.clock.seconds += 60
    page = audit.page()
    assert page["streams"] == {"failed": 1}
    assert {one["check"] for one in page["findings"]} == {"rules_must_make_the_same"}
    audit.log.add(*leaves_of(whole.events)[end:])
    assert audit.ask().status == 200
    assert (audit.page()["streams"], audit.page()["findings"]) == ({"clean": 1}, []), "they come later all the same"


def test_a_failed_table_with_news_is_judged_again_once_the_table_has_grown(audit: Audit) -> None:
    leaves = chain("table/a", 104)

    def grow(first: int, last: int) -> None:
        audit.store.add(
            [
                NewEntry("table/a", Head(at, leaf_hash(leaves[at - 1])), leaves[at - 1], True)
                for at in range(first, last)
            ],
            audit.store.tree(),
        )

    grow(1, 101)
    assert audit.store.due() == [("table/a", 100)]
    audit.store.judge("table/a", 100, "failed", [])
    grow(101, 104)
    assert audit.store.due() == []
    grow(104, 105)
    assert audit.store.due() == [("table/a", 104)]


def test_an_open_field_that_the_service_does_not_show_is_a_finding(audit: Audit) -> None:
    whole = sealing()
    audit.log.add(*leaves_of(whole.events))
    assert audit.ask().status == 200
    page = audit.page()
    assert {one["check"] for one in page["findings"]} == {"open_field_must_be_told"}
    assert page["streams"] == {"failed": 1}
    wrong = {place: FieldOpening(one.stream, *place, "0" * 64, one.value) for place, one in whole.openings.items()}
    for number, (openings, verdict) in enumerate(((wrong, "failed"), (whole.openings, "clean")), start=1):
        audit.log.given = openings
        audit.store.judge(f"table/{TABLE}", 0, "", [])
        audit.log.add(*chain(f"dispute/{len(audit.log.leaves)}", 1))
        assert audit.ask().status == 200
        verdicts = audit.page()["streams"]
        assert verdicts == {verdict: 1, "waiting": number}


def test_a_table_is_judged_later_if_the_service_is_silent(audit: Audit) -> None:
    whole = sealing()
    audit.log.add(*leaves_of(whole.events))
    audit.log.given = whole.openings
    assert audit.ask().status == 200
    audit.log.is_silent = True
    assert audit.page()["streams"] == {"waiting": 1}
    audit.log.is_silent = False
    assert audit.page()["streams"] == {"clean": 1}


def test_unreadable_and_impossible_events_are_findings_and_other_tables_go_on(audit: Audit) -> None:
    whole = record(played(SIMPLE, SEED))
    odd = [chain("table/tbl_" + "1" * 32, 2), chain("table/no-id", 1), chain("table/tbl_" + "0" * 31 + "g", 1)]
    audit.log.add(*mixed(leaves_of(whole.events), *odd))
    audit.log.given = whole.openings
    assert audit.ask().status == 200
    page = audit.page()
    assert page["streams"] == {"clean": 1, "failed": 3}
    assert {one["check"] for one in page["findings"]} == {"leaf_must_be_readable"}


def test_the_head_of_an_unknown_stream_is_empty(audit: Audit) -> None:
    assert audit.store.head("table/none") == EMPTY
