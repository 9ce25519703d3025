"""The responses of the API are enough to check the proof of an event."""

# ruff: noqa: ANN401 -- JSON may be any value

from base64 import b64decode, b64encode
from typing import Any, NamedTuple

import pytest

from service import merkle
from service.canonical import canonical
from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.sequencer import Sequencer
from tests.exchange.exported_tables import exported, import_tables
from tests.http.service import Person, Service, Table, accepted, refused


class Proof(NamedTuple):
    """A proof as C2SP tlog-proof defines it, and the checkpoint in its signed note."""

    leaf_index: int
    hashes: list[bytes]
    checkpoint: Checkpoint

    def includes(self, leaf: Any) -> bool:
        found = self.checkpoint
        hash_ = merkle.leaf_hash(canonical(leaf))
        return merkle.is_included(hash_, self.leaf_index, found.size, self.hashes, found.root)


def read(person: Person, path: str) -> Proof:
    """Get the proof at *path*, and parse it as strictly as C2SP tlog-proof defines it; check the log's signature."""
    answer = accepted(person.get(path))
    assert answer.content_type == "text/plain; charset=utf-8"
    head, _, note = answer.get_data(as_text=True).partition("\n\n")
    first, index, *hashes = head.split("\n")
    assert first == "c2sp.org/tlog-proof@v1"
    assert index == f"index {int(index.removeprefix('index '))}"
    assert hashes == [b64encode(b64decode(one)).decode() for one in hashes]
    key = signed_note.parse_key(accepted(person.get("/v1/log/key")).json["log_key"])
    found, _ = checkpoint.opened(note.encode(), key)
    return Proof(int(index.removeprefix("index ")), [b64decode(one) for one in hashes], found)


def leaves(person: Person, table: Table) -> list[Any]:
    return [item["leaf"] for item in accepted(person.get(f"{table.path}/events?limit=1000")).json["items"]]


@pytest.mark.walk
def test_every_event_of_every_table_is_proved_by_the_answers(service: Service) -> None:
    tables = [Table(service).dealt(), Table(service, 2), Table(service, 4, game="insurance_hearts")]
    service.keep_log()
    found = {}
    for table in tables:
        for leaf in leaves(service.spectator, table):
            proof = read(service.spectator, f"{table.path}/events/{leaf['position']}/proof")
            assert proof.includes(leaf)
            assert not proof.includes({**leaf, "at": "2026-01-01T00:00:00.000Z"})
            found[proof.leaf_index] = leaf
    assert sorted(found) == list(range(service.events()))


def test_the_proof_of_the_only_leaf_has_no_hashes(quick_service: Service) -> None:
    table = Table(quick_service)
    Sequencer(quick_service.parts.engine, most_leaves=1).round()
    quick_service.publish()
    proof = read(quick_service.spectator, f"{table.path}/events/1/proof")
    assert (proof.leaf_index, proof.hashes, proof.checkpoint.size) == (0, [], 1)
    assert proof.includes(leaves(quick_service.spectator, table)[0])


def test_an_event_has_no_proof_until_a_checkpoint_covers_it(quick_service: Service) -> None:
    def must_have_none() -> None:
        answer = quick_service.spectator.get(f"{table.path}/events/1/proof")
        refused(answer, 404, "proof_must_exist")
        assert answer.headers["Retry-After"] == "1"

    table = Table(quick_service)
    must_have_none()
    Sequencer(quick_service.parts.engine).round()
    must_have_none()
    quick_service.publish()
    assert read(quick_service.spectator, f"{table.path}/events/1/proof").includes(leaves(table.host, table)[0])
    table = Table(quick_service)
    Sequencer(quick_service.parts.engine).round()
    must_have_none()


def test_a_proof_has_the_newest_checkpoint(quick_service: Service) -> None:
    table = Table(quick_service)
    quick_service.keep_log()
    path = f"{table.path}/events/1/proof"
    before = read(quick_service.spectator, path)
    table.seated()
    note = quick_service.keep_log()
    after = read(quick_service.spectator, path)
    assert accepted(quick_service.spectator.get(path)).get_data(as_text=True).endswith(f"\n\n{note}")
    assert after.checkpoint.size == quick_service.events() > before.checkpoint.size
    assert after.leaf_index == before.leaf_index


def test_the_proof_of_a_private_table_is_for_viewers_of_the_table(quick_service: Service) -> None:
    table = Table(quick_service, visibility="private")
    for player in table.players.values():
        accepted(table.host.do(table.path, "invite_player", player=player.owner))
    quick_service.keep_log()
    path = f"{table.path}/events/1/proof"
    for caller in (table.host, *table.players.values(), quick_service.person("audit")):
        assert read(caller, path).includes(leaves(table.host, table)[0])
        assert accepted(caller.get(path)).headers["Cache-Control"] == "no-store"
    for stranger in (quick_service.spectator, quick_service.person("play", "host", "admin")):
        answers = [stranger.get(one) for one in (path, path.replace(table.id, f"tbl_{0:032x}"), table.path)]
        told = [refused(answer, 404, "table_must_exist") | {"request_id": ""} for answer in answers]
        headers = [{**answer.headers, "X-Request-Id": ""} for answer in answers]
        assert told[0] == told[1] == told[2]
        assert headers[0] == headers[1] == headers[2]


def test_an_imported_event_is_proved_by_the_log_of_the_service_that_wrote_it(
    quick_service: Service, elsewhere: Service
) -> None:
    table = Table(elsewhere).seated()
    import_tables(quick_service, exported(elsewhere.spectator, table))
    Table(quick_service)
    quick_service.keep_log()
    answer = quick_service.spectator.get(f"{table.path}/events/1/proof")
    assert "the log of the service that recorded this table" in refused(answer, 404, "proof_must_exist")["detail"]
    assert "Retry-After" not in answer.headers
    elsewhere.keep_log()
    imported = leaves(quick_service.spectator, table)
    assert read(elsewhere.spectator, f"{table.path}/events/1/proof").includes(imported[0])


def test_an_event_that_does_not_exist_has_no_proof(quick_service: Service) -> None:
    table = Table(quick_service)
    quick_service.keep_log()
    for position in (0, table.position + 1, 2**31 - 1):
        answer = quick_service.spectator.get(f"{table.path}/events/{position}/proof")
        refused(answer, 404, "position_must_exist")
        assert "Retry-After" not in answer.headers
    for odd in ("-1", "01", "1.0", "x", str(2**31), "9" * 5_000):
        refused(quick_service.spectator.get(f"{table.path}/events/{odd}/proof"), 404, "resource_must_exist")
