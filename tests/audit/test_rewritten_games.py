"""The owner of the database rewrites a played game, and computes everything anew except the signatures.

Most of the rewritten histories contradict nothing in the database: only earlier signatures show that they are not the
recorded histories.
"""

import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Engine, delete, insert, select, text

from service.audit.whole_log.whole_log_audit import verify_log
from service.audit.whole_log.whole_log_report import LogEvidence, LogReport
from service.database import schema_check
from service.database.engines import administering, make_engine, reading
from service.entropy import Entropy
from service.event_store.log_tables import outbox
from service.projections.rebuild.projection_rebuild import rebuild
from service.transparency import log_signer, published
from service.transparency.log_signer import TreeMustContinue
from service.transparency.sequencer import Sequencer
from service.transparency.tree_tables import leaf_indexes
from tests.audit.forging import ALL_TABLES, FINISHED, LIVE, Forger, Leaf, SeededEntropy
from tests.contract.signed_log import checks, remake
from tests.play.tables import House, Table, play_on

LEAVES_OF_A_ROUND = 40
PUT_IN = (3).to_bytes(16, "big")
ON_BOTH = {"a table played with other seeds", "commands cut off the end"}
"""The rewritings that are tested on PostgreSQL too, even without `--full`."""
FOUND = {"checkpoint_must_fit_the_log", "log_must_have_what_was_signed"}


class SignedGames:
    """Two played tables under signed checkpoints, and the owner of their database."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self.forger = Forger(engine)
        self.engine = engine
        self.signer = log_signer.load_or_make(folder / "log-key.txt", folder / "log-key.txt.head", Entropy())
        with administering(engine) as connection:
            heads = connection.execute(text("SELECT stream_id, head AS position FROM streams")).mappings().all()
            connection.execute(insert(outbox), [dict(head) for head in heads])
        sequencer = Sequencer(engine, most_leaves=LEAVES_OF_A_ROUND)
        while sequencer.round():
            published.publish(engine, self.signer)

    def verified(self) -> LogReport:
        """Audit the log as a whole against the signer's last checkpoint."""
        last = ("the last checkpoint", self.signer.last())
        return verify_log(self.engine, LogEvidence(key=self.signer.key.public, checkpoints=(last,)))

    def looks_clean(self) -> bool:
        """Return whether the audit of all tables, without the log as a whole, finds nothing."""
        return not self.forger.verify().has_failed

    def replace(self, stream_id: bytes, rows: Mapping[str, list[dict[str, Any]]]) -> None:
        """Delete every row of a card table from the database, and insert *rows*."""
        with administering(self.engine) as connection:
            for table in reversed(ALL_TABLES):
                connection.execute(delete(table).where(table.c.stream_id == stream_id))
            for table in ALL_TABLES:
                if rows[table.name]:
                    connection.execute(insert(table), rows[table.name])

    def make_anew(self) -> None:
        """Compute the projections, the indexes, the tree and its head again, so that they fit the leaves."""
        rebuild(self.engine, self.forger.house.log, self.forger.house.entropy)
        with administering(self.engine) as connection:
            connection.execute(delete(outbox))
            indexed = connection.execute(
                text(
                    "SELECT e.stream_id, e.position FROM events e LEFT JOIN leaf_indexes i"
                    " ON i.stream_id = e.stream_id AND i.position = e.position"
                    " ORDER BY CASE WHEN e.stream_id = :put_in THEN -1 ELSE COALESCE(i.leaf_index, 1000000) END,"
                    " e.stream_id, e.position"
                ),
                {"put_in": PUT_IN},
            ).all()
            connection.execute(delete(leaf_indexes))
            connection.execute(
                insert(leaf_indexes),
                [
                    {"leaf_index": index, "stream_id": row.stream_id, "position": row.position, "leaf_hash": bytes(32)}
                    for index, row in enumerate(indexed)
                ],
            )
        remake(self.engine)


@pytest.fixture
def signed(engine: Engine, tmp_path: Path) -> SignedGames:
    return SignedGames(engine, tmp_path)


@cache
def _played_anew(number: int, seeds: int, choices: int) -> dict[str, list[dict[str, Any]]]:
    """Play table *number*: *seeds* determines its decks, and *choices* the players' moves. Return all its rows."""
    with TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{Path(folder) / 'played.db'}")
        schema_check.migrate(engine)
        table = Table(House(engine, SeededEntropy(seeds)), number).started(3, buy_in=12)
        play_on(table, random.Random(choices), most=150)
        with reading(engine) as connection:
            rows = {
                table.name: [dict(row) for row in connection.execute(select(table)).mappings()] for table in ALL_TABLES
            }
        engine.dispose()
    return rows


def _changed(kind: str, change: Callable[[Leaf], object]) -> Callable[[SignedGames], None]:
    """Return a rewriting that changes the first event of *kind*, and all later hashes of its stream."""

    def rewrite(signed: SignedGames) -> None:
        before = signed.forger.leaves()
        signed.forger.forge(signed.forger.position_of(kind), change)
        assert signed.forger.leaves() != before

    return rewrite


def _another_player(leaf: Leaf) -> None:
    leaf["pub"]["player"] = "own_" + "7" * 32


def _hide(leaf: Leaf) -> None:
    leaf["pub"]["visibility"] = "private"


def _cut_off(signed: SignedGames) -> None:
    leaves = signed.forger.leaves()
    last = max(position for position, leaf in leaves.items() if leaf.get("cmd"))
    with administering(signed.engine) as connection:
        late = text("DELETE FROM sealed WHERE stream_id = :id AND position >= :last")
        connection.execute(late, {"id": FINISHED, "last": last})
    signed.forger.rechain([leaf for position, leaf in leaves.items() if position < last])


def _remove(signed: SignedGames) -> None:
    signed.replace(LIVE, {table.name: [] for table in ALL_TABLES})


class Rewriting(NamedTuple):
    """A change by the owner of the database, and whether the audit of the tables alone then finds nothing."""

    rewrite: Callable[[SignedGames], None]
    looks_clean: bool


REWRITINGS = {
    "a table played with other seeds": Rewriting(
        lambda signed: signed.replace(FINISHED, _played_anew(1, 31, 30)), True
    ),
    "another legal choice": Rewriting(lambda signed: signed.replace(FINISHED, _played_anew(1, 30, 31)), True),
    "commands cut off the end": Rewriting(_cut_off, True),
    "a table removed": Rewriting(_remove, True),
    "a table put in before the others": Rewriting(lambda signed: signed.replace(PUT_IN, _played_anew(3, 5, 5)), True),
    "another time": Rewriting(_changed("cards_held", lambda leaf: leaf.update(at="2026-01-02T00:00:00.000Z")), True),
    "another command id": Rewriting(_changed("cards_held", lambda leaf: leaf.update(cmd="ab" * 32)), True),
    "another player": Rewriting(_changed("seat_taken", _another_player), True),
    "another host": Rewriting(_changed("table_opened", lambda leaf: leaf["pub"].update(host="own_" + "7" * 32)), True),
    "another visibility": Rewriting(_changed("table_opened", _hide), False),  # the players lack invitations
    "another worth": Rewriting(
        _changed("table_opened", lambda leaf: leaf["pub"].update(currency="EUR", worth_minor=100)), True
    ),
    "another author": Rewriting(_changed("game_started", lambda leaf: leaf.update(by="service")), False),
    "another bet": Rewriting(_changed("upping_offered", lambda leaf: leaf["pub"].update(chips=2)), False),
}


def test_the_rewritings_that_are_tested_on_both_databases_are_among_the_rewritings() -> None:
    assert REWRITINGS.keys() >= ON_BOTH


@pytest.mark.parametrize(
    "what", [pytest.param(one, marks=pytest.mark.walk) if one in ON_BOTH else one for one in REWRITINGS]
)
def test_a_rewritten_history_is_found_by_earlier_signatures_and_is_never_signed(signed: SignedGames, what: str) -> None:
    assert signed.verified().findings == ()
    rewriting = REWRITINGS[what]
    rewriting.rewrite(signed)
    signed.make_anew()
    assert signed.looks_clean() is rewriting.looks_clean
    report = signed.verified()
    assert FOUND & checks(report.findings) == checks(report.findings) != set()
    places = {(one.table, one.position) for one in report.findings if one.check == "log_must_have_what_was_signed"}
    assert len(places) == 1
    with pytest.raises(TreeMustContinue):
        published.publish(signed.engine, signed.signer)
