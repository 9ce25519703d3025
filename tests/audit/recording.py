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
from service.event_store.leaf import NO_HASH, Commitment, MoveSignature
from service.games import GAMES
from service.games.common_events import GameStarted, SeatLeft, SeatTaken, SigningKeyEnded, SigningKeyRegistered
from service.games.definition import Game
from service.games.game import SERVICE, Event, seat_actor
from service.secrets import commitments
from service.secrets.commitments import command_id
from service.secrets.move_signatures import SignedMove, choice_hash, move_text
from service.secrets.openings import FieldOpening
from service.tables.sealed_fields import secrets
from tests.audit.forging import CODEC
from tests.games import random_play
from tests.games.random_play import TABLE
from tests.games.steps import ShuffledDecks, Step
from tests.http import signer

STREAM = bytes.fromhex(TABLE.removeprefix("tbl_"))
NAME = stream_name(STREAM)


class CommittedDecks(ShuffledDecks):
    """Decks in the order of the random game; the seeds match the commitments, but do not determine the order."""

    def server_commit(self, epoch: str) -> str:
        return deck.server_commit(epoch, _seed(epoch))

    def server_seed(self, epoch: str) -> str:
        return _seed(epoch).hex()


class Fact(Struct, frozen=True):
    """An *event* to record; *by* is the event's author, and *secrets* are what the event seals."""

    by: str
    event: Any
    has_cmd: bool
    secrets: Mapping[str, Secret] = {}
    signed_by: tuple[str, ...] = ()
    """The names of the keys that sign the event: the seat's, or the new key and, if there is one, the previous key."""


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
        sealed = {field: _opening(position, field, secret, fact) for field, secret in fact.secrets.items()}
        header = Header(
            stream=NAME,
            position=position,
            prev=events[-1].hash.hex() if events else NO_HASH,
            by=fact.by,
            at="2026-01-01T00:00:00.000Z",
            cmd=command_id(bytes(32), str(position)) if fact.has_cmd else "",
            priv={field: _commitment(sealed[field], secret, fact) for field, secret in fact.secrets.items()},
        )
        if fact.signed_by:
            header = replace(header, sig=_sig(fact, header, events[0].event))
        events.append(CODEC.decode(CODEC.encode(fact.event, header)))
        openings |= {(position, field): opening for field, opening in sealed.items()}
    return Record(tuple(events), openings)


def judged(seed: int, game: Record) -> TableJudgement:
    """Adjudicate *game*, the record of the random game of *seed*."""
    decks = decks_of(seed)
    return adjudicate(STREAM, game.events, shuffle=lambda epoch, _seed, _clients: decks.deck(epoch), fields=game.fields)


def place_of(happened: Sequence[Fact], kind: type[Event], number: int = 0) -> int:
    """Return the index of the *number*-th fact of a *kind*, counted from 0."""
    return [place for place, fact in enumerate(happened) if isinstance(fact.event, kind)][number]


def with_members(happened: Sequence[Fact], place: int, **members: object) -> list[Fact]:
    """Return *happened* with some members of the event at *place* changed."""
    return _with(happened, place, replace(happened[place], event=replace(happened[place].event, **members)))


def resealed(happened: Sequence[Fact], place: int, **sealed: Secret | None) -> list[Fact]:
    """Return *happened* with other secrets in the event at *place*; None removes a sealed field."""
    secrets_ = {field: one for field, one in {**happened[place].secrets, **sealed}.items() if one}
    return _with(happened, place, replace(happened[place], secrets=secrets_))


def _with(happened: Sequence[Fact], place: int, fact: Fact) -> list[Fact]:
    return [*happened[:place], fact, *happened[place + 1 :]]


def signed(happened: Sequence[Fact]) -> list[Fact]:
    """Return *happened* with a signing key for each seat taken before the start, and with the keys' signatures.

    The first of these seats ends its key and registers it again.
    """
    found: list[Fact] = []
    keys: dict[str, str] = {}
    for fact in happened:
        if isinstance(fact.event, GameStarted):
            seats = sorted({one.event.seat for one in found if isinstance(one.event, SeatTaken)})
            for seat in (*seats[:1], *seats):
                by = seat_actor(seat)
                if by in keys:
                    found.append(Fact(by, SigningKeyEnded(seat=seat), True))
                keys[by] = by
                key = signer.public(signer.key_of(by))
                found.append(Fact(by, SigningKeyRegistered(seat=seat, public_key=key), True, signed_by=(by,)))
        name = keys.get(fact.by, "")
        found.append(replace(fact, signed_by=(name,)) if name else fact)
        if isinstance(fact.event, SeatLeft):
            keys.pop(fact.by, None)
    return found


def _sig(fact: Fact, header: Header, opened: Any) -> MoveSignature:  # noqa: ANN401 -- table_opened of any game
    game = GAMES[opened.game, opened.edition]
    choices = {field: commitment.choice for field, commitment in header.priv.items()}
    move = SignedMove(
        stream=NAME,
        position=header.position - 1,
        head_hash=header.prev,
        cmd=header.cmd,
        action=game.moves.signed_action(fact.event, fact.by, choices),
    )
    signatures = [signer.key_of(name).sign(move_text(move)).hex() for name in fact.signed_by]
    return MoveSignature(header.prev, header.position - 1, *signatures)


def _opening(position: int, field: str, secret: Secret, fact: Fact) -> FieldOpening:
    blind = sha256(f"{position} {field} blind".encode()).hexdigest() if fact.signed_by else ""
    return FieldOpening(NAME, position, field, _salt(position, field).hex(), secret.value, blind)


def _commitment(opening: FieldOpening, secret: Secret, fact: Fact) -> Commitment:
    salt, seat = bytes.fromhex(opening.salt), getattr(fact.event, "seat", 0)
    return Commitment(
        c=commitments.field_commitment(NAME, opening.position, opening.field, salt, secret.value),
        to=secret.to,
        until=secret.until,
        choice=choice_hash(NAME, seat, opening.field, opening.blind, secret.value) if opening.blind else "",
    )


def _salt(position: int, field: str) -> bytes:
    return sha256(f"{position} {field}".encode()).digest()


def _seed(epoch: str) -> bytes:
    return sha256(epoch.encode()).digest()
