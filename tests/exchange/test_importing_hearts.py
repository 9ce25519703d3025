"""Imports of tables with sealed fields: the fields that the exporter may read are imported, and no others."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from service.audit.log_audit import verify
from service.audit.verdicts import Verdict
from service.exchange.export_reader import CannotImport
from service.projections.rebuild.projection_rebuild import rebuild
from tests.databases import Databases
from tests.exchange.exported_tables import CODEC, bare, exported, import_tables, same_people
from tests.http.service import Person, Service, Table, accepted, running
from tests.play.hearts import ALL_RULES, over, play_on

Stop = Callable[[Any], bool]


class Plays:
    """Plays each game once, each at a separate service. The tests only read and export the games."""

    def __init__(self, stack: ExitStack, folder: Path, databases: Databases) -> None:
        self._stack = stack
        self._folder = folder
        self._databases = databases
        self._played: dict[str, Table] = {}

    def of(self, until: Stop = over, feet: tuple[int, ...] = (), **options: Any) -> Table:  # noqa: ANN401 -- the value may be any JSON
        """Return a table of Insurance Hearts, played until *until* returns True or the game is over."""
        name = f"{id(until)} {feet} {options}"
        if name not in self._played:
            url = self._stack.enter_context(self._databases.migrated("sqlite"))
            service = self._stack.enter_context(running(self._folder / str(len(self._played)), url))
            table = Table(service, 4, game="insurance_hearts", **{**ALL_RULES, "target": 1, **options}).started()
            play_on(service.parts, bytes.fromhex(table.id.removeprefix("tbl_")), Random(3), until, feet)
            self._played[name] = table
        return self._played[name]


@pytest.fixture(scope="module")
def plays(tmp_path_factory: pytest.TempPathFactory, all_databases: Databases) -> Iterator[Plays]:
    """Yield the played games, which the tests of this module share."""
    with ExitStack() as stack:
        yield Plays(stack, tmp_path_factory.mktemp("plays"), all_databases)


@pytest.fixture
def quick_other(tmp_path: Path, all_databases: Databases) -> Iterator[Service]:
    """Yield another, empty service on SQLite."""
    with all_databases.migrated("sqlite") as url, running(tmp_path / "here", url) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path, database_url: str) -> Iterator[Service]:
    """Yield another, empty service."""
    with running(tmp_path / "here", database_url) as made:
        yield made


def paths_of(table: Table) -> list[str]:
    """Return the paths of the requests about *table* to which both services must give equal responses."""
    hands = [item["hand"] for item in accepted(table.host.get(f"{table.path}/hands")).json["items"]]
    paths = ["/events?limit=1000", "/events?after=40", "/balances", f"/balances?at={table.position // 2}"]
    paths += ["/hands", "/accounts/score:1/postings", "/accounts/pool/postings"]
    paths += [f"/hands/{hand}{more}" for hand in hands for more in ("", "/adjudication")]
    return paths


def must_answer_alike(table: Table, there: Person, here: Person) -> None:
    for path in paths_of(table):
        assert accepted(here.get(table.path + path)).data == accepted(there.get(table.path + path)).data, path
    for at in (0, *range(5, table.position, 17)):
        ours, theirs = (table.view(person, f"?at={at}" if at else "") for person in (here, there))
        assert (bool(ours.pop("imported_at")), bool(theirs.pop("imported_at"))) == (True, False)
        assert ours | {"due": theirs["due"]} == theirs, at
        assert ours["due"] == []


def must_be(service: Service, verdict: Verdict) -> None:
    """Check that the only table of *service* has this verdict and no findings, before and after a rebuild."""
    parts = service.parts
    for _ in range(2):
        report = verify(parts.engine, parts.log, CODEC)
        assert (dict(report.tables), report.findings) == ({verdict: 1}, ())
        rebuild(parts.engine, parts.log, parts.clock)


def test_a_finished_table_is_the_same_in_every_answer_for_everybody(plays: Plays, other: Service) -> None:
    table = plays.of()
    (taken,) = import_tables(other, exported(table.service.spectator, table))
    assert (taken.verdict, taken.events, taken.missing) == (Verdict.CLEAN, table.position, 0)
    for there, here in same_people(table, other):
        must_answer_alike(table, there, here)
    must_be(other, Verdict.CLEAN)


def test_a_number_that_never_opens_comes_with_the_export_of_its_player_alone(
    plays: Plays, quick_other: Service
) -> None:
    table = plays.of(feet=(1,))
    assert any(item["leaf"]["type"] == "hand_cancelled" for item in events(table.host, table))
    (taken,) = import_tables(quick_other, exported(table.players[2], table))
    assert (taken.verdict, taken.missing) == (Verdict.CLEAN, 0)
    people = same_people(table, quick_other)
    for place in (0, 2, 5):  # the host, seat 2 (whose export was imported), and a spectator
        must_answer_alike(table, *people[place])
    there, here = people[1]
    own = [field["field"] for item in events(there, table) for field in item["fields"]]
    left = [field["field"] for item in events(here, table) for field in item["fields"]]
    assert own.count("insurance") == left.count("insurance") + 1
    assert [one for one in own if one != "insurance"] == [one for one in left if one != "insurance"]
    must_be(quick_other, Verdict.CLEAN)


def events(person: Person, table: Table) -> list[Any]:
    items: list[Any] = accepted(person.get(f"{table.path}/events?limit=1000")).json["items"]
    return items


LIVE: dict[str, Stop] = {
    "slips": lambda state: len(state.slips_in) == 2,
    "a pass": lambda state: len(state.passes_in) == 3 and not state.has_passed,
    "bids": lambda state: len(state.bids_in) == 1,
    "leftovers": lambda state: state.phase.value == "choosing",
    "tricks": lambda state: sum(state.tricks.values()) == 4,
    "a second hand": lambda state: state.hand == 2 and len(state.passes_in) == 2,
}


@pytest.mark.parametrize("phase", LIVE)
def test_a_live_table_is_imported_pending_with_the_openings_of_its_exporter(
    plays: Plays, quick_other: Service, phase: str
) -> None:
    table = plays.of(LIVE[phase], target=500)
    (taken,) = import_tables(quick_other, exported(table.players[1], table))
    assert (taken.verdict, taken.is_live, taken.missing) == (Verdict.PENDING, True, 0)
    people = same_people(table, quick_other)
    for there, here in (people[1], people[5]):
        for theirs, ours in zip(events(there, table), events(here, table), strict=True):
            assert (ours["leaf"], ours["fields"]) == (theirs["leaf"], theirs["fields"])
        for path in paths_of(table):
            if path.endswith("/adjudication"):
                assert accepted(here.get(table.path + path)).data == accepted(there.get(table.path + path)).data
    for name in ("insurance", "passed", "bids"):
        there, here = people[1]
        assert table.view(here)["view"][name] == table.view(there)["view"][name]
    seen = {(field["position"], field["field"]) for item in events(people[5][1], table) for field in item["fields"]}
    for _, here in people[2:5]:  # Other players see at least what a spectator sees.
        assert {(f["position"], f["field"]) for item in events(here, table) for f in item["fields"]} >= seen
        assert "??" in accepted(here.get(table.path)).get_data(as_text=True)
    must_be(quick_other, Verdict.PENDING)


def test_a_spectators_export_of_a_live_table_opens_nothing_to_anybody(plays: Plays, quick_other: Service) -> None:
    table = plays.of(LIVE["a pass"], target=500, foot=False)
    (taken,) = import_tables(quick_other, exported(table.service.spectator, table))
    assert (taken.verdict, taken.missing) == (Verdict.PENDING, 0)
    for _, here in same_people(table, quick_other):
        assert not any(item["fields"] for item in events(here, table))
        assert table.view(here)["view"]["insurance"] == {}


def altered(lines: list[bytes], member: str, old: str, new: str) -> tuple[list[bytes], int]:
    """Change *member* from *old* to *new* in the first opening with *old*; return the lines, and that line's number."""
    pattern = re.compile(rb'("fields":\[.*?"%b":)%b' % (member.encode(), old.encode()))
    number = next(place for place, line in enumerate(lines) if pattern.search(line))
    line = pattern.sub(rb"\g<1>%b" % new.encode(), lines[number], count=1)
    return [*lines[:number], line, *lines[number + 1 :]], number + 1


@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("value", r"\d+", "7"),
        ("value", "false", "true"),
        ("salt", '"[0-9a-f]{4}', '"0000'),
        ("salt", '"[0-9a-f]{4}', '"zzzz'),
        ("field", '"foot"', '"insurance"'),
        ("field", '"foot"', '"shoe"'),
        ("position", r"\d+", "1"),
        ("position", r"\d+", "99999"),
        ("stream", '"table/tbl_[0-9a-f]{4}', '"table/tbl_0000'),
    ],
)
def test_an_opening_that_is_forged_is_refused_by_its_line(
    plays: Plays, quick_other: Service, member: str, old: str, new: str
) -> None:
    table = plays.of()
    lines, number = altered(exported(table.service.spectator, table), member, old, new)
    with pytest.raises(CannotImport, match=f"line {number}: .* is not what its leaf commits to"):
        import_tables(quick_other, lines)
    assert quick_other.events() == 0


def test_an_opening_that_comes_before_its_leaf_is_refused(plays: Plays, quick_other: Service) -> None:
    table = plays.of()
    first, *rest = (msgspec.json.decode(line) for line in exported(table.service.spectator, table))
    opened = next(one for one in rest if one["fields"])
    early = {**first, "fields": opened["fields"]}
    with pytest.raises(CannotImport, match="line 1: "):
        import_tables(quick_other, [msgspec.json.encode(one) for one in (early, *rest)])


def test_imported_leaves_are_undecidable_until_their_openings_are_imported(plays: Plays, quick_other: Service) -> None:
    table = plays.of()
    hands = [item["hand"] for item in accepted(table.host.get(f"{table.path}/hands")).json["items"]]
    (taken,) = import_tables(quick_other, bare(table))
    assert (taken.verdict, taken.missing) == (Verdict.UNDECIDABLE, 16 * len(hands))  # four fields of each seat
    must_be(quick_other, Verdict.UNDECIDABLE)
    there, here = same_people(table, quick_other)[1]
    assert not any(item["fields"] for item in events(here, table))
    again = exported(table.service.spectator, table)
    for _ in range(2):
        (taken,) = import_tables(quick_other, again)
        assert (taken.verdict, taken.missing, taken.is_new) == (Verdict.CLEAN, 0, False)
    must_answer_alike(table, there, here)
    must_be(quick_other, Verdict.CLEAN)


def test_the_export_of_an_imported_table_equals_the_imported_file(plays: Plays, quick_other: Service) -> None:
    table = plays.of()
    lines = exported(table.service.spectator, table)
    import_tables(quick_other, lines)
    there = quick_other.spectator.get(f"{table.path}/events", Accept="application/x-ndjson")
    assert there.data.splitlines(keepends=True)[:-1] == lines
