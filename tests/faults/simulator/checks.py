"""The invariants that a simulation checks: of the log, of acknowledged commands, and of everything shown to clients."""

# ruff: noqa: ANN401 -- JSON may be any value

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Engine, select

from service import deck
from service.audit.log_audit import verify
from service.database.engines import reading
from service.entropy import Entropy
from service.event_store import leaf, log_tables
from service.event_store.codec import Codec
from service.event_store.store import Log
from service.games import CURRENT, EVENTS
from service.projections import projection_tables
from service.secrets.derivation import Derivation
from service.secrets.encryption import Sealer
from service.secrets.keyring import ServiceKey
from service.tables.sealed_store import SEED
from tests.faults.simulator.people import Person, SentCommand

CODEC: Final = Codec(EVENTS)
PROJECTED: Final = (
    projection_tables.transfers,
    projection_tables.tables,
    projection_tables.seats,
    projection_tables.hands,
)
_FACE: Final = re.compile(rb'"([2-9TJQKA][cdhs])"')


class Seen(NamedTuple):
    """A response about a table, and the owner who got the response."""

    owner: str
    table: str
    body: bytes


class Leaf(NamedTuple):
    """A stored event."""

    position: int
    data: bytes
    cmd: str


def leaves(engine: Engine) -> dict[str, list[Leaf]]:
    """Return the leaves of the log by the ids of their tables."""
    found: dict[str, list[Leaf]] = {}
    order = (log_tables.events.c.stream_id, log_tables.events.c.position)
    with reading(engine) as connection:
        for row in connection.execute(select(log_tables.events).order_by(*order)):
            one = Leaf(row.position, bytes(row.leaf), leaf.decode(row.leaf).cmd)
            found.setdefault(f"tbl_{bytes(row.stream_id).hex()}", []).append(one)
    return found


def of_commands(
    stored: Mapping[str, Sequence[Leaf]], people: Sequence[Person], derivation: Derivation
) -> Iterator[str]:
    """Yield a message for each violation.

    The log must have each acknowledged command exactly once, as in its receipt, and must have no command that was
    refused or that nobody sent.
    """
    decisions: dict[str, list[tuple[str, Leaf]]] = {}
    for table, stream in stored.items():
        for one in stream:
            if one.cmd:
                decisions.setdefault(one.cmd, []).append((table, one))
    sent = {}
    for person in people:
        for key, command in person.commands.items():
            cmds = [derivation.command_id(person.owner, f"table/{table}", key) for table in stored]
            sent.update(dict.fromkeys(cmds, command))
            yield from _of_command(command, [place for cmd in cmds for place in decisions.get(cmd, [])], stored)
    for cmd, places in decisions.items():
        _, one = places[0]
        if cmd not in sent and b'"by":"service"' not in one.data:
            yield f"{one.data!r} is in the log, and nobody sent it"


def _of_command(
    command: SentCommand, places: Sequence[tuple[str, Leaf]], stored: Mapping[str, Sequence[Leaf]]
) -> Iterator[str]:
    if len(places) > 1:
        yield f"{command.call} is in the log {len(places)} times"
    if command.accepted:
        if not places:
            yield f"{command.call} was acknowledged and is not in the log"
            return
        receipt = msgspec.json.decode(command.accepted[0])["receipt"]
        table, _ = places[0]
        one = stored[table][receipt["position"] - 1]
        if leaf.leaf_hash(one.data).hex() != receipt["leaf_hash"]:
            yield f"{command.call} has a receipt for another leaf than the leaf at {receipt['position']} of {table}"
    elif places and not command.silent:
        yield f"{command.call} was refused ({command.refused}), sent {command.sent} times, and is in the log"


class Oracle:
    """Knows the order of every deck of a database, from its sealed store."""

    def __init__(self, engine: Engine, service_key: ServiceKey) -> None:
        self._engine = engine
        self._log = Log(CODEC, Sealer(service_key), Entropy())
        self._known: dict[str, tuple[str, ...]] = {}

    def faces(self, table: str, events: Sequence[Any], epoch: str, seat: int) -> set[str]:
        """Return the faces dealt to *seat* from the deck of *epoch*, and the faces of this deck that everybody sees."""
        if epoch not in self._known:
            at = next(
                event["position"] for event in events if event["pub"].get("server_commit") and epoch_of(event) == epoch
            )
            with reading(self._engine) as connection:
                seed = self._log.hidden(connection, bytes.fromhex(table.removeprefix("tbl_")), at, SEED)
            self._known[epoch] = deck.shuffle(epoch, seed).order
        order = self._known[epoch]
        of_it = [event for event in events if epoch_of(event) == epoch]
        dealt = [one for event in of_it if event["type"] == "cards_dealt" for one in event["pub"]["cards"]]
        open_ = [event["pub"]["pos"] for event in of_it if "pos" in event["pub"]]
        return {order[pos] for pos in (*(pos for pos, to in dealt if to in {seat, "table"}), *open_)}


def epoch_of(event: Any) -> str:
    return str(event["pub"].get("epoch", ""))


def of_sight(stored: Mapping[str, Sequence[Leaf]], seen: Sequence[Seen], oracle: Oracle) -> Iterator[str]:
    """Yield violations: an opening must go only to the card's seat; a view must show only faces that the seat knows."""
    logs = {table: [msgspec.json.decode(one.data) for one in stream] for table, stream in stored.items()}
    for one in seen:
        events = logs.get(one.table, [])
        seat = _seat(events, one.owner)
        body = msgspec.json.decode(one.body)
        for opening in _openings(body):
            event = events[opening["position"] - 1]
            dealt = dict(event["pub"].get("cards", ())) if event["type"] == "cards_dealt" else {}
            own = seat and dealt.get(opening["pos"]) == seat and epoch_of(event) == opening["epoch"]
            if not own or opening["face"] not in oracle.faces(one.table, events, opening["epoch"], seat):
                yield f"{one.owner} in seat {seat} of {one.table} got {opening}"
        if "view" in body and body["deck"]["epoch"] and not (seat and CURRENT[body["game"]].sealed_types):
            yield from _of_view(one, body, events, seat, oracle)


def _of_view(one: Seen, body: Any, events: Sequence[Any], seat: int, oracle: Oracle) -> Iterator[str]:
    """Yield a violation if the view has faces that are neither the seat's own nor shown to all since the deck's start.

    `of_sight` skips the views of players in games with sealed choices, because a player may know cards of others there;
    tests/games/test_two_worlds.py checks these games.
    """
    epoch = body["deck"]["epoch"]
    begin = next(at for at, event in enumerate(events) if epoch_of(event) == epoch)
    public = b"".join(msgspec.json.encode(event["pub"]) for event in events[begin : body["position"]])
    known = {face.decode() for face in _FACE.findall(public)}
    known |= oracle.faces(one.table, events[: body["position"]], epoch, seat)
    if more := {face.decode() for face in _FACE.findall(msgspec.json.encode(body["view"]))} - known:
        yield f"seat {seat} of {one.table} at {body['position']} was shown {sorted(more)}"


def _openings(body: Any) -> Iterator[Any]:
    for item in body.get("events", body.get("items", ())):
        if isinstance(item, dict):
            yield from item.get("openings", ())


def _seat(events: Sequence[Any], owner: str) -> int:
    return next((event["pub"]["seat"] for event in events if event["pub"].get("player") == owner), 0)


def of_audit(engine: Engine, service_key: ServiceKey) -> Iterator[str]:
    """Yield the findings of a full verification: decisions, hashes, balances, sealed values and projections."""
    report = verify(engine, Log(CODEC, Sealer(service_key), Entropy()), CODEC)
    for finding in report.findings:
        yield f"verify: {finding}"


def of_chips(stored: Mapping[str, Sequence[Leaf]], engine: Engine) -> Iterator[str]:
    """Yield each wrong balance in the projection of transfers, and a difference from the log's number of transfers."""
    with reading(engine) as connection:
        rows = connection.execute(select(projection_tables.transfers)).all()
    balances: dict[tuple[bytes, str], int] = {}
    for row in sorted(rows, key=lambda row: (bytes(row.stream_id), row.position, row.ordinal)):
        for account, amount, after in (
            (row.source, -row.amount, row.source_balance),
            (row.target, row.amount, row.target_balance),
        ):
            place = (bytes(row.stream_id), account)
            balances[place] = balances.get(place, 0) + amount
            if balances[place] != after:
                yield f"{account} of {row.stream_id.hex()} at {row.position} has {after}, and not {balances[place]}"
    transfers = sum(
        len(msgspec.json.decode(one.data)["pub"].get("transfers", ())) for all_ in stored.values() for one in all_
    )
    if transfers != len(rows):
        yield f"the log has {transfers} transfers, and the projection has {len(rows)}"


def projections(engine: Engine) -> str:
    """Return a digest of all projections."""
    digest = sha256()
    with reading(engine) as connection:
        for table in PROJECTED:
            for row in sorted(tuple(map(str, row)) for row in connection.execute(select(table))):
                digest.update(repr(row).encode())
    return digest.hexdigest()
