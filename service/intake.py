"""Importing: tables that were played at another service, checked and taken in whole, to be read and never continued."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection, Engine

from service.audit.adjudicate import adjudicate
from service.audit.chance import chance
from service.audit.differences import NOTHING
from service.audit.findings import Finding, of_difference
from service.audit.integrity import inspect
from service.audit.verdicts import Verdict
from service.entropy import Entropy
from service.log import extent, leaf
from service.log.codec import Codec, Recorded
from service.log.database import administering, reading
from service.log.entries import Head, stream_name
from service.log.openings import FieldOpening, OpeningMustMatch, as_sealed, must_match
from service.log.silence import Place
from service.log.store import Log, NoSuchStream, NotSealed, StreamExists
from service.projections import recording
from service.projections.replay import commands
from service.projections.situations import table_id
from service.projections.vault import SEED

_TABLE: Final = stream_name(b"")
_CLOCKS_DIFFER: Final = timedelta(days=1)

Openings: TypeAlias = Mapping[Place, FieldOpening]


class TakenIn(Struct, frozen=True, kw_only=True):
    """A table that is here now. *is_new*: it was not here before. *is_live*: its game was not over.

    *missing*: how many sealed fields are open to everybody, and did not come with it.
    """

    table: str
    events: int
    hands: int
    verdict: Verdict
    is_new: bool
    is_live: bool
    missing: int = 0


class CannotBeTakenIn(Exception):
    """Nothing of a table was taken in: *why*, at which line, and what the audit has found wrong."""

    def __init__(self, why: str, *, line: int = 0, findings: Sequence[Finding] = ()) -> None:
        super().__init__(f"line {line}: {why}" if line else why)
        self.why = why
        self.line = line
        self.findings = tuple(findings)


class _Line(Struct, frozen=True):
    """A line of an export through the API: a leaf in its envelope, and the sealed fields that it opens.

    What else is in it follows from the leaves.
    """

    leaf: Raw
    hash: str
    fields: tuple[FieldOpening, ...] = ()


class _Read(Struct, frozen=True):
    """An event as a line of a file has it."""

    line: int
    stream: str
    recorded: Recorded
    fields: tuple[FieldOpening, ...]


class Intake:
    """Takes tables in, each in a transaction of its own."""

    def __init__(self, engine: Engine, log: Log, codec: Codec, entropy: Entropy) -> None:
        self._engine = engine
        self._log = log
        self._codec = codec
        self._entropy = entropy

    def take_in(self, lines: Iterable[bytes]) -> Iterator[TakenIn]:
        """Take in every table of *lines*: leaves of log/v1, bare or as the events endpoint has them.

        A table that is here already, to its last event, is left as it is, but for openings that did not come before.

        Raises:
            CannotBeTakenIn: a line is no leaf, or a table does not hold; those before it are in.
        """
        for stream, read in groupby(_read(lines, self._codec), key=lambda one: one.stream):
            yield self._table(stream, tuple(read))

    def _table(self, stream: str, read: Sequence[_Read]) -> TakenIn:
        stream_id = _stream_id(stream, read[0].line)
        _must_run_on(read)
        _must_have_happened(read, self._entropy.now())
        recorded = tuple(one.recorded for one in read)
        openings = _openings(read)
        _must_be_as_the_rules_have_it(stream_id, recorded, openings)
        if (here := self._head(stream_id)) is not None:
            _must_be_the_same(here, recorded, table_id(stream_id), read[0].line)
            with administering(self._engine) as connection:
                self._complete(connection, stream_id, openings)
                return self._taken_in(connection, stream_id, recorded, is_new=False)
        try:
            with administering(self._engine) as connection:
                self._write(connection, stream_id, recorded, openings)
                return self._taken_in(connection, stream_id, recorded, is_new=True)
        except StreamExists as error:
            raise CannotBeTakenIn(f"{table_id(stream_id)} was taken in by somebody else just now.") from error

    def _head(self, stream_id: bytes) -> Head | None:
        with reading(self._engine) as connection:
            try:
                return self._log.head(connection, stream_id)
            except NoSuchStream:
                return None

    def _write(self, connection: Connection, stream_id: bytes, recorded: Sequence[Recorded], given: Openings) -> None:
        self._log.create(connection, stream_id, imported_at=self._entropy.now())
        self._log.take_in(connection, stream_id, recorded)
        told = chance(recorded)
        for epoch, opened in told.opened.items():
            if ended := told.ended.get(epoch):
                seed = bytes.fromhex(ended.event.server_seed)
                self._log.hide(connection, stream_id, opened.position, SEED, seed)
        self._complete(connection, stream_id, given)
        for steps in commands(stream_id, recorded):
            recording.record(connection, recording.changes(stream_id, steps))

    def _complete(self, connection: Connection, stream_id: bytes, openings: Openings) -> None:
        """Keep *openings* of an imported table that are not here yet; one of our own has what it shall have."""
        if not self._log.imported_at(connection, stream_id):
            return
        for (position, field), opening in openings.items():
            try:
                self._log.hidden(connection, stream_id, position, field)
            except NotSealed:
                self._log.hide(connection, stream_id, position, field, as_sealed(opening))

    def _taken_in(
        self, connection: Connection, stream_id: bytes, recorded: Sequence[Recorded], *, is_new: bool
    ) -> TakenIn:
        """Audit the table where it stands now.

        Raises:
            CannotBeTakenIn: it fails.
        """
        report = inspect(connection, stream_id, self._log, self._codec)
        if report.verdict is Verdict.FAILED:
            raise CannotBeTakenIn(f"{report.table} fails its audit.", findings=report.findings)
        told = chance(recorded)
        here = {(one.position, one.field) for one in self._log.openings(connection, stream_id, recorded)}
        return TakenIn(
            table=report.table,
            events=report.events,
            hands=len(report.hands),
            verdict=report.verdict,
            is_new=is_new,
            is_live=not told.is_over,
            missing=sum(end == "open" and place not in here for place, end in told.ends.items()),
        )


def _read(lines: Iterable[bytes], codec: Codec) -> Iterator[_Read]:
    for number, line in enumerate(lines, start=1):
        if line.strip() and not (extent.begin_of(line) or extent.end_of(line)):
            try:
                yield _one(number, line.strip(), codec)
            except (leaf.Malformed, leaf.NotCanonical) as error:
                raise CannotBeTakenIn(str(error), line=number) from error


def _one(number: int, line: bytes, codec: Codec) -> _Read:
    try:
        enveloped = msgspec.json.decode(line, type=_Line)
    except msgspec.ValidationError:
        data, wanted, fields = line, "", tuple[FieldOpening, ...]()
    except (msgspec.DecodeError, RecursionError) as error:
        raise CannotBeTakenIn(f"This is no JSON: {error}", line=number) from error
    else:
        data, wanted, fields = bytes(enveloped.leaf), enveloped.hash, enveloped.fields
    codec.check_canonical(data)
    recorded = codec.decode(data)
    if wanted not in {"", recorded.hash.hex()}:
        raise CannotBeTakenIn(f"The leaf's hash is {recorded.hash.hex()}, not {wanted}.", line=number)
    return _Read(number, leaf.decode(data).stream, recorded, fields)


def _stream_id(stream: str, line: int) -> bytes:
    try:
        found = bytes.fromhex(stream.removeprefix(_TABLE))
    except ValueError:
        found = b""
    if stream_name(found) != stream or len(found) != 16:  # noqa: PLR2004 -- the bytes of a table's id
        raise CannotBeTakenIn(f"{stream!r} is no table's stream.", line=line)
    return found


def _openings(read: Sequence[_Read]) -> Openings:
    """Return the openings of sealed fields that come with the events, each once.

    Raises:
        CannotBeTakenIn: one is not of what a leaf before it, or its own, commits to.
    """
    sealed: dict[Place, str] = {}
    found: dict[Place, FieldOpening] = {}
    for one in read:
        sealed |= {(one.recorded.position, field): kept.c for field, kept in one.recorded.priv.items()}
        for opening in one.fields:
            place = (opening.position, opening.field)
            try:
                must_match(opening, sealed[place] if opening.stream == one.stream else "")
            except (KeyError, OpeningMustMatch) as error:
                why = f"{opening.field!r} of position {opening.position} is not what its leaf commits to."
                raise CannotBeTakenIn(why, line=one.line) from error
            found[place] = opening
    return found


def _fields(openings: Openings, recorded: Recorded) -> Mapping[str, Any]:
    """Find what was sealed with an event among *openings*."""
    places = [(recorded.position, field) for field in recorded.priv]
    return {place[1]: openings[place].value for place in places if place in openings}


def _must_be_as_the_rules_have_it(stream_id: bytes, recorded: Sequence[Recorded], openings: Openings) -> None:
    """Decide every decision again before anything is written: what a forged event does to a projection is not tried.

    Raises:
        CannotBeTakenIn: it comes out otherwise.
    """
    judged = adjudicate(stream_id, recorded, fields=partial(_fields, openings))
    if judged.verdict is Verdict.FAILED:
        table = table_id(stream_id)
        found = [of_difference(table, "rules_must_make_the_same", one) for one in judged.differences]
        if all(one.position == len(recorded) + 1 and one.found == NOTHING for one in judged.differences):
            raise CannotBeTakenIn(f"The events of {table} end in the middle of a command: the file is cut off.")
        raise CannotBeTakenIn(f"{table} fails its audit.", findings=found)


def _must_be_the_same(here: Head, recorded: Sequence[Recorded], table: str, line: int) -> None:
    """Pass events that are those of a table that is *here*.

    Raises:
        CannotBeTakenIn: they are others, or more.
    """
    last = recorded[min(here.position, len(recorded)) - 1]
    if here == Head(recorded[-1].position, recorded[-1].hash):
        return
    if here == Head(last.position, last.hash):
        why = f"{table} is here already up to position {here.position}; what is imported is not continued."
    elif here.position > len(recorded):
        why = f"{table} is here already, up to position {here.position}."
    else:
        why = f"{table} is here already, with other events."
    raise CannotBeTakenIn(why, line=line)


def _must_have_happened(read: Sequence[_Read], now: str) -> None:
    """Pass events of the past; clocks may differ by a day.

    Raises:
        CannotBeTakenIn: one is to come yet: its table would head every list until then.
    """
    latest = datetime.fromisoformat(now) + _CLOCKS_DIFFER
    for one in read:
        if datetime.fromisoformat(one.recorded.at) > latest:
            raise CannotBeTakenIn(f"This event is of {one.recorded.at}, which is to come yet.", line=one.line)


def _must_run_on(read: Sequence[_Read]) -> None:
    """Pass events that stand at 1, 2, 3 and so on, each naming the one before.

    Raises:
        CannotBeTakenIn: they do not.
    """
    before, commands_ = leaf.NO_HASH, set[str]()
    for position, one in enumerate(read, start=1):
        if one.recorded.cmd and one.recorded.cmd in commands_:
            raise CannotBeTakenIn("This command was recorded before: each stands once.", line=one.line)
        commands_.add(one.recorded.cmd)
        if one.recorded.position != position:
            raise CannotBeTakenIn(f"Position {position} must come here, not {one.recorded.position}.", line=one.line)
        if one.recorded.prev != before:
            raise CannotBeTakenIn(f"The leaf must name {before} as the one before it.", line=one.line)
        before = one.recorded.hash.hex()
