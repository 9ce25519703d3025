"""The tables behind the vectors: a service with fixed keys, secrets and times records the same bytes in every run."""

# ruff: noqa: ANN401 -- JSON may be any value

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from service import merkle
from service.canonical import canonical
from service.database import engines, schema_check
from service.database.engines import administering
from service.entropy import Entropy
from service.service_log.service_log import ServiceLog
from service.transparency import checkpoint, signed_note
from service.transparency.checkpoint import Checkpoint
from service.transparency.witnesses import cosignature, cosigned
from tests.http.service import Person, Service, Table, accepted
from tests.http.signer import Signer

RELEASE: Final = "0.0.0-test"
COSIGNED_AT: Final = 1_767_225_600
LOG_SEED, WITNESS_SEED = bytes([1]) * 32, bytes([2]) * 32  # as the first vectors have them
ORIGIN, WITNESS = "ledger.example/chiptrail-test", "witness.example/w1"
SERVICE_SECRET: Final = bytes([3]) * 32
SERVICE_KEY_ID: Final = "svk_" + "0" * 32
BLINDS: Final = {"insurance": "5b" * 32, "foot": "77" * 32}
SLIP: Final = {"insurance": 4, "foot": False}
CLIENT_SEEDS: Final = {1: "11" * 32, 2: "22" * 32}
"""Seeds with which the banker deals a second card, and a player is out of the game after one hand."""


def key_of_seat(number: int) -> Ed25519PrivateKey:
    """Return the test key with this number."""
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


FIRST_KEY, SECOND_KEY, FOREIGN_KEY = key_of_seat(4), key_of_seat(5), key_of_seat(6)


class FixedEntropy(Entropy):
    """Secrets and times that are the same in every run; each command is a second after the command before.

    A secret depends only on the number of the command, and on the number of secrets that the command drew before.
    """

    def __init__(self) -> None:
        self.seconds = 0
        self._drawn: Counter[int] = Counter()

    def now(self) -> str:
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)
        return f"{at:%Y-%m-%dT%H:%M:%S}.000Z"

    def secret(self) -> bytes:
        self._drawn[self.seconds] += 1
        return sha256(b"secret %d of command %d of a test" % (self._drawn[self.seconds], self.seconds)).digest()


class Hand(NamedTuple):
    """Answers about the table of Insurance: the dossier of hand 1 for seat 2, a receipt, a checkpoint and proofs."""

    dossier: bytes
    receipt: dict[str, Any]
    old_checkpoint: str
    consistency: str
    proof: str


class World(NamedTuple):
    """The *hand*, the leaves of a table of Insurance Hearts, and the openings of the slip that its seat 1 sealed.

    *hearts_dossier* is the dossier of that table for seat 1, and *me* is the answer of its `/me` to seat 1. *keys* is
    the answer of `GET /v1/log/key`.
    """

    hand: Hand
    hearts: tuple[bytes, ...]
    hearts_dossier: bytes
    openings: tuple[dict[str, Any], ...]
    me: dict[str, Any]
    keys: dict[str, Any]


class _Recorder:
    """Sends the commands of a table, each with a new Idempotency-Key, and one second after the command before."""

    def __init__(self, service: Service, entropy: FixedEntropy) -> None:
        self.service = service
        self._entropy = entropy
        self._numbers = count(1)

    def key(self) -> str:
        self._entropy.seconds += 1
        return f"command-{next(self._numbers)}"

    def do(self, by: Person | Signer, table: Table, kind: str, **members: Any) -> Any:
        if isinstance(by, Signer):
            return accepted(by.do(kind, self.key(), **members)).json
        return accepted(by.do(table.path, kind, key=self.key(), **members)).json

    def seated(self, table: Table) -> Table:
        for seat, player in table.players.items():
            accepted(player.post(f"{table.path}/seats", {"chips": table.buy_in, "seat": seat}, key=self.key()), 201)
        return table


def world(folder: Path) -> World:
    """Record the tables in a new database in *folder*."""
    entropy = FixedEntropy()
    with _running(folder, entropy) as service:
        recorder = _Recorder(service, entropy)
        _start(service)
        hearts, table, opened = _play_hearts(recorder)
        hand = _play_insurance(recorder)
        return World(
            hand=hand,
            hearts=hearts,
            hearts_dossier=bytes(accepted(table.players[1].get(f"{table.path}/dossier")).data),
            openings=opened,
            me=accepted(table.players[1].get(f"{table.path}/me")).json,
            keys=accepted(service.spectator.get("/v1/log/key")).json,
        )


@contextmanager
def _running(folder: Path, entropy: Entropy) -> Iterator[Service]:
    log_key, first = Ed25519PrivateKey.from_private_bytes(LOG_SEED), Checkpoint(ORIGIN, 0, merkle.EMPTY_ROOT)
    key_hash = signed_note.verifier_key(ORIGIN, log_key).key_hash.hex()
    private = b64encode(b"\1" + LOG_SEED).decode()
    _write(folder / "log-key.txt", f"PRIVATE+KEY+{ORIGIN}+{key_hash}+{private}\n")
    _write(folder / "log-key.txt.head", str(checkpoint.signed(first, log_key)))
    service_key = {"v": 1, "id": SERVICE_KEY_ID, "secret": SERVICE_SECRET.hex()}
    _write(folder / "service-key.json", canonical(service_key).decode() + "\n")
    url = f"sqlite:///{folder / 'vectors.db'}"
    engine = engines.make_engine(url)
    schema_check.migrate(engine)
    engine.dispose()
    service = Service(folder, url, entropy, witnesses=f"{_witness_key()}=http://witness.example")
    yield service
    service.close()


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o600)


def _witness_key() -> signed_note.VerifierKey:
    return cosignature.witness_key(WITNESS, Ed25519PrivateKey.from_private_bytes(WITNESS_SEED))


def _start(service: Service) -> None:
    own = service.parts.service_log
    with administering(service.parts.engine) as connection:
        ServiceLog(own.log, lambda: replace(own.identity(), release=RELEASE)).record_start(connection)


def _publish(service: Service) -> str:
    """Publish a checkpoint with a cosignature of the witness; return the checkpoint that the service then serves."""
    note = signed_note.parse(service.keep_log().encode())
    line = cosignature.cosign(note.text, WITNESS, Ed25519PrivateKey.from_private_bytes(WITNESS_SEED), COSIGNED_AT)
    size = int(note.text.split("\n")[1])
    with administering(service.parts.engine) as connection:
        cosigned.add(connection, ORIGIN, size, _witness_key(), line)
    return bytes(accepted(service.spectator.get("/v1/log/checkpoint")).data).decode()


def _play_hearts(recorder: _Recorder) -> tuple[tuple[bytes, ...], Table, tuple[dict[str, Any], ...]]:
    """Let seat 1 register a key, replace the key, sign a sealed slip with the new key, and end this key."""
    table = recorder.seated(Table(recorder.service, 4, game="insurance_hearts"))
    first, second = (Signer(table.players[1], table.path, key) for key in (FIRST_KEY, SECOND_KEY))
    accepted(first.register(recorder.key()))
    accepted(second.register(recorder.key(), previous=first))
    recorder.do(table.host, table, "start_game")
    due = table.due_seat
    recorder.do(second if due == 1 else table.players[due], table, "deal_hand")
    accepted(second.do_sealed({"type": "write_slip", **SLIP}, "slip_written", SLIP, BLINDS, recorder.key()))
    recorder.do(table.players[1], table, "end_signing_key")
    recorder.do(table.players[2], table, "write_slip", insurance=0, foot=False)
    items = accepted(table.players[1].get(f"{table.path}/events?limit=1000")).json["items"]
    openings = tuple(field for item in items for field in item["fields"])
    return tuple(canonical(item["leaf"]) for item in items), table, openings


def _play_insurance(recorder: _Recorder) -> Hand:
    """Play a whole game of one hand: two players with ten chips each, with seeds of their own; seat 2 signs."""
    service = recorder.service
    rules: dict[str, Any] = {"form": "non_gambling", "buy_in": 10, "standard_bets": [10]}
    table = recorder.seated(Table(service, 2, game="insurance", seeds="players", **rules))
    signer = Signer(table.players[2], table.path, FIRST_KEY)
    players: dict[int, Person | Signer] = {1: table.players[1], 2: signer}
    accepted(signer.register(recorder.key()))
    recorder.do(table.host, table, "start_game")
    epoch = f"{table.id}/1"
    for seat, seed in CLIENT_SEEDS.items():
        commit = sha256(f"chiptrail/client-seed/v1\n{epoch}\nseat:{seat}\n{seed}\n".encode()).hexdigest()
        recorder.do(players[seat], table, "commit_seed", epoch=epoch, client_commit=commit)
    old = _publish(service)
    for seat, seed in CLIENT_SEEDS.items():
        recorder.do(players[seat], table, "reveal_seed", epoch=epoch, client_seed=seed)
    bet = recorder.do(signer, table, "place_bet", chips=10)
    recorder.do(players[1], table, "deal_hand")
    assert table.view()["status"] == "finished"
    new = _publish(service)
    sizes = [note.split("\n")[1] for note in (old, new)]
    reader = table.players[2]
    return Hand(
        dossier=bytes(accepted(reader.get(f"{table.path}/hands/1/dossier")).data),
        receipt=bet["receipt"],
        old_checkpoint=old,
        consistency=bytes(accepted(reader.get(f"/v1/log/consistency/{sizes[0]}/{sizes[1]}")).data).decode(),
        proof=bytes(accepted(reader.get(f"{table.path}/events/3/proof")).data).decode(),
    )
