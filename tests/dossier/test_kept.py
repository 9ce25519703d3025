"""A dossier is compared with everything that its reader kept, and refused if it is from another log."""

import json
from typing import Any

import pytest

from service.dossier import archive
from service.dossier.kept_files import KeptFile
from tests.dossier.forged import forged
from tests.dossier.made import Played, World, dossier, files_of, must_be_refused, must_pass, refusals
from tests.http.service import Table, accepted


@pytest.fixture
def played(world: World) -> Played:
    return world.played[0]


@pytest.fixture
def data(played: Played) -> bytes:
    return played.dossiers["hand 1 for seat 1"]


def kept(content: str | bytes, name: str = "kept") -> KeptFile:
    return KeptFile(name, content.encode() if isinstance(content, str) else content)


def continuation(world: World, old: str, new: str) -> KeptFile:
    sizes = (int(one.split("\n")[1]) for one in (old, new))
    return kept(accepted(world.service.spectator.get("/v1/log/consistency/{}/{}".format(*sizes))).data, "consistency")


def newest(data: bytes) -> str:
    return files_of(data)[archive.CHECKPOINT].decode()


def test_an_older_checkpoint_agrees_with_the_proof_that_the_log_continues_it(world: World, data: bytes) -> None:
    for old in world.checkpoints[:-1]:
        must_pass(data, kept(old), continuation(world, old, newest(data)))
    must_pass(data, kept(newest(data)))


def test_an_older_checkpoint_without_that_proof_is_refused(world: World, data: bytes) -> None:
    must_be_refused(data, kept(world.checkpoints[0]))
    other = continuation(world, world.checkpoints[1], newest(data))
    must_be_refused(data, kept(world.checkpoints[0]), other)


def test_a_newer_checkpoint_is_compared_with_a_proof_in_the_other_direction(world: World, data: bytes) -> None:
    service = world.service
    Table(service)
    new = service.keep_log()
    must_pass(data, kept(new), continuation(world, newest(data), new))
    must_be_refused(data, kept(new))


def test_another_log_under_the_same_key_is_refused(world: World, data: bytes) -> None:
    """A forged history agrees with its own checkpoint, but not with another history's checkpoint of the same size."""
    own, other = (
        forged(data, edit) for edit in (lambda _: None, lambda leaves: leaves[0].update(at="2026-01-01T00:00:00.000Z"))
    )
    must_pass(own, kept(newest(own)))
    must_pass(other, kept(newest(other)))
    must_be_refused(own, kept(newest(other)))
    must_be_refused(data, kept(newest(own)))


def test_the_keys_of_the_log_are_compared_in_each_form(world: World, data: bytes) -> None:
    keys = accepted(world.service.spectator.get("/v1/log/key")).json
    lines = f"origin       {keys['origin']}\nvkey         {keys['log_key']}\nreceipt_key  {keys['receipt_key']}\n"
    for form in (json.dumps(keys), keys["log_key"], lines, json.dumps({"vkey": keys["log_key"], **keys})):
        must_pass(data, kept(form))
        must_be_refused(forged(data, lambda _: None), kept(form))


def test_an_earlier_proof_of_an_event_agrees(world: World, played: Played, data: bytes) -> None:
    proof = accepted(world.service.spectator.get(f"{played.table.path}/events/2/proof")).data
    must_pass(data, kept(proof))
    other = world.played[1].table
    must_be_refused(data, kept(accepted(world.service.spectator.get(f"{other.path}/events/2/proof")).data))


def test_a_receipt_of_this_history_agrees_and_a_receipt_of_another_history_does_not(world: World) -> None:
    service = world.service
    table = Table(service)
    keys = accepted(service.spectator.get("/v1/log/key")).data
    answer = accepted(table.players[1].post(f"{table.path}/seats", {"chips": table.buy_in, "seat": 1}), 201).json
    service.keep_log()
    data = dossier(service.spectator, table.path)
    receipt: dict[str, Any] = answer["receipt"]
    for form in (answer, receipt):
        must_pass(data, kept(json.dumps(form)), kept(keys, "keys"))
    for name, value in (("leaf_hash", "0" * 64), ("cmd", "1" * 64), ("position", 1), ("position", 99), ("stream", "x")):
        must_be_refused(data, kept(json.dumps({**receipt, name: value})))
    for name, value in (("signature", "0" * 128), ("origin", "other.example/log")):
        must_be_refused(data, kept(json.dumps({**receipt, name: value})), kept(keys, "keys"))
    rewritten = forged(data, lambda leaves: leaves[-1].update(at="2026-01-01T00:00:00.000Z"))
    place = f"position {receipt['position']}"
    assert refusals(rewritten, kept(json.dumps(receipt))) == (place, place)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"{",
        b"[]",
        b"{}",
        b"\xff",
        b"old x\n\n",
        b"c2sp.org/tlog-proof@v1\n",
        b"a+00000000+AAAA",
        bytes(2**20 + 2),
    ],
)
def test_a_file_that_can_not_be_compared_is_refused(data: bytes, content: bytes) -> None:
    must_be_refused(data, kept(content))
    assert refusals(data, kept(content, "my file")) == ("my file", "my file")
