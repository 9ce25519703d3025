"""Records random games without a database: their leaves, and the openings of their sealed fields."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from service import deck
from service.audit.judging.adjudicate import TableJudgement, adjudicate
from service.event_store.codec import Header, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.event_store.entries import Secret, stream_name
from service.event_store.leaf import NO_HASH, Commitment
from service.games.definition import Game
from service.games.game import SERVICE, Event
from service.secrets import commitments
from service.secrets.commitments import command_id
from service.secrets.openings import FieldOpening
from service.tables.sealed_fields import secrets
from tests.audit.forging import CODEC
from tests.games import random_play
from tests.games.random_play import TABLE
from tests.games.steps import ShuffledDecks, Step

STREAM = bytes.fromhex(TABLE.removeprefix("tbl_"))
NAME = stream_name(STREAM)


class CommittedDecks(ShuffledDecks):
    """Decks in the order of the random game; the seeds match the commitments, but do not determine the order."""

    def server_commit(self, epoch: str) -> str:
        return deck.server_commit(epoch, _seed(epoch))

    def server_seed(self, epoch: str) -> str:
        return _seed(epoch).hex()


class Fact(Struct, frozen=True):
    """An *event* to record, its author *by*, and the *secrets* that the event seals."""

    by: str
    event: Any
    has_cmd: bool
    secrets: Mapping[str, Secret] = {}


class Record(Struct, frozen=True):
    """A stream, and the openings of all its sealed fields."""

    events: tuple[RecordedEvent, ...]
    openings: Mapping[FieldPlace, FieldOpening]

    def fields(self, recorded: RecordedEvent) -> Mapping[str, Any]:
        """Return the values of all sealed fields of an event, whether they are public or not."""
        places = [(recorded.position, field) for field in recorded.priv]
        return {place[1]: self.openings[place].value for place in places}

    def until(self, position: int) -> "Record":
        """Return the record with only the events up to *position*."""
        return Record(self.events[:position], self.openings)


def decks_of(seed: int) -> CommittedDecks:
    """Return the decks of the random game of *seed*."""
    return CommittedDecks(seed, twins=seed % 3 == 0)


def played(game: Game, seed: int) -> list[Fact]:
    """Play the random game of *seed*, and return its facts."""
    return [fact for step in random_play.play(game, seed) for fact in facts(step)]


def facts(step: Step) -> Iterator[Fact]:
    """Yield the facts of one command: the decision, then its consequences."""
    decision, *consequences = step.events
    yield Fact(step.by, decision, True, secrets(step.secrets))
    for event in consequences:
        yield Fact(SERVICE, event, False)


def record(happened: Iterable[Fact]) -> Record:
    """Record the facts *happened* as a stream with a valid hash chain."""
    events: list[RecordedEvent] = []
    openings: dict[FieldPlace, FieldOpening] = {}
    for position, fact in enumerate(happened, start=1):
        sealed = {field: _opening(position, field, secret) for field, secret in fact.secrets.items()}
        header = Header(
            stream=NAME,
            position=position,
            prev=events[-1].hash.hex() if events else NO_HASH,
            by=fact.by,
            at="2026-01-01T00:00:00.000Z",
            cmd=command_id(bytes(32), str(position)) if fact.has_cmd else "",
            priv={field: _commitment(sealed[field], secret) for field, secret in fact.secrets.items()},
        )
        events.append(CODEC.decode(CODEC.encode(fact.event, header)))
        openings |= {(position, field): opening for field, opening in sealed.items()}
    return Record(tuple(events), openings)


def judged(seed: int, game: Record) -> TableJudgement:
    """Adjudicate the record *game* of the random game of *seed*."""
    decks = decks_of(seed)
    return adjudicate(STREAM, game.events, shuffle=lambda epoch, _seed, _clients: decks.deck(epoch), fields=game.fields)


def place_of(happened: Sequence[Fact], kind: type[Event], number: int = 0) -> int:
    """Return the index of the *number*-th fact of a *kind*."""
    return [place for place, fact in enumerate(happened) if isinstance(fact.event, kind)][number]


def told(happened: Sequence[Fact], place: int, **members: object) -> list[Fact]:
    """Return *happened* with some members of the event at *place* changed."""
    return _with(happened, place, replace(happened[place], event=replace(happened[place].event, **members)))


def resealed(happened: Sequence[Fact], place: int, **sealed: Secret | None) -> list[Fact]:
    """Return *happened* with other secrets in the event at *place*; None removes a sealed field."""
    secrets_ = {field: one for field, one in {**happened[place].secrets, **sealed}.items() if one}
    return _with(happened, place, replace(happened[place], secrets=secrets_))


def _with(happened: Sequence[Fact], place: int, fact: Fact) -> list[Fact]:
    return [*happened[:place], fact, *happened[place + 1 :]]


def _opening(position: int, field: str, secret: Secret) -> FieldOpening:
    return FieldOpening(NAME, position, field, _salt(position, field).hex(), secret.value)


def _commitment(opening: FieldOpening, secret: Secret) -> Commitment:
    salt = bytes.fromhex(opening.salt)
    return Commitment(
        c=commitments.field_commitment(NAME, opening.position, opening.field, salt, secret.value),
        to=secret.to,
        until=secret.until,
    )


def _salt(position: int, field: str) -> bytes:
    return sha256(f"{position} {field}".encode()).digest()


def _seed(epoch: str) -> bytes:
    return sha256(epoch.encode()).digest()
