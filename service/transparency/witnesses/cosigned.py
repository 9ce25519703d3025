"""Checkpoints with their cosignatures, and the reports about the witnesses, in the database (DECISIONS 101)."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, func, insert, select, update

from service.transparency import published, signed_note
from service.transparency.signed_note import Note, NoteMustBeGenuine, Signature, VerifierKey
from service.transparency.tree_tables import checkpoints
from service.transparency.witnesses import cosignature
from service.transparency.witnesses.witness_tables import cosignatures, witness_reports

_MOST_LOOKED_AT: Final = 1_000


class WitnessReport(Struct, frozen=True):
    """A report about a witness: why it does not cosign (*problem*; "": it cosigns), and when this began (*since*)."""

    since: str
    problem: str


def newest(connection: Connection, origin: str, keys: Sequence[VerifierKey], least: int = 0) -> str | None:
    """Return the newest checkpoint of *origin* that *least* or more of the witnesses with *keys* have cosigned.

    The signed note has the valid cosignatures of these witnesses. If *least* is above 0, only the last 1,000
    cosignatures by the witnesses are looked at. Return None if there is no such checkpoint.
    """
    if not least:
        note = published.newest(connection, origin)
        return note and _with_cosignatures(connection, origin, signed_note.parse(note.encode()), keys)[0]
    of_witnesses = cosignatures.c.vkey.in_([str(key) for key in keys])
    rows = connection.execute(
        select(cosignatures.c.size)
        .where(cosignatures.c.origin == origin, of_witnesses)
        .order_by(cosignatures.c.size.desc())
        .limit(_MOST_LOOKED_AT)
    ).all()
    for size, each in groupby(rows, key=attrgetter("size")):
        if len(list(each)) >= least:
            note = _note(connection, origin, size)
            whole, count = _with_cosignatures(connection, origin, signed_note.parse(note.encode()), keys)
            if count >= least:
                return whole
    return None


def newest_size(connection: Connection, origin: str, key: VerifierKey) -> int:
    """Return the size of the newest checkpoint of *origin* that the witness with *key* has cosigned; 0: none."""
    of_witness = (cosignatures.c.origin == origin, cosignatures.c.vkey == str(key))
    return connection.execute(select(func.max(cosignatures.c.size)).where(*of_witness)).scalar() or 0


def add(connection: Connection, origin: str, size: int, key: VerifierKey, line: Signature) -> None:
    """Store the cosignature *line* of the witness with *key*, unless this witness's cosignature is stored already."""
    of_witness = (cosignatures.c.origin == origin, cosignatures.c.size == size, cosignatures.c.vkey == str(key))
    if connection.execute(select(cosignatures.c.size).where(*of_witness)).first() is None:
        connection.execute(insert(cosignatures).values(origin=origin, size=size, vkey=str(key), line=str(line)))


def report(connection: Connection, key: VerifierKey, found: WitnessReport) -> None:
    """Store *found* as the report about the witness with *key*."""
    values = {"since": found.since, "problem": found.problem}
    done = connection.execute(update(witness_reports).where(witness_reports.c.vkey == str(key)).values(values))
    if not done.rowcount:
        connection.execute(insert(witness_reports).values(vkey=str(key), **values))


def reports(connection: Connection) -> Mapping[str, WitnessReport]:
    """Return the report about each witness, by the witness's key."""
    rows = connection.execute(select(witness_reports))
    return {row.vkey: WitnessReport(row.since, row.problem) for row in rows}


def _note(connection: Connection, origin: str, size: int) -> str:
    statement = select(checkpoints.c.note).where(checkpoints.c.origin == origin, checkpoints.c.size == size)
    return str(connection.execute(statement).scalar_one())


def _with_cosignatures(connection: Connection, origin: str, note: Note, keys: Sequence[VerifierKey]) -> tuple[str, int]:
    """Return *note* with the valid stored cosignatures of the witnesses with *keys*, and the number of cosignatures."""
    size = int(note.text.split("\n")[1])
    of_checkpoint = (cosignatures.c.origin == origin, cosignatures.c.size == size)
    rows = connection.execute(select(cosignatures.c.vkey, cosignatures.c.line).where(*of_checkpoint))
    lines = {row.vkey: row.line for row in rows}
    found = [line for key in keys if (line := _verified(note, key, lines.get(str(key), "")))]
    return str(signed_note.with_signatures(note, found)), len(found)


def _verified(note: Note, key: VerifierKey, line: str) -> Signature | None:
    try:
        (found,) = signed_note.parse(f"{note.text}\n{line}\n".encode()).signatures
        cosignature.cosigned_at(note.text, found, key)
    except NoteMustBeGenuine:
        return None
    return found
