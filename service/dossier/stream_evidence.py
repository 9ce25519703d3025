"""Checks the leaves and openings of a dossier: their bytes, their chain, and what the viewer may read."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from service import deck
from service.audit.judging.disclosures import disclosures_of
from service.canonical import NotCanonical, canonical
from service.cards import PACK, Face
from service.dossier import archive
from service.dossier.archive import DossierFlaw
from service.dossier.log_evidence import lines_of
from service.dossier.opening_lines import FORMAT, Subject
from service.event_store import disclosure, leaf
from service.event_store.codec import Codec, RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games.common_events import CardsDealt, DeckFixed
from service.secrets.openings import Committed, FieldOpening, OpeningMustMatch, check_opening

Openings = Mapping[FieldPlace, FieldOpening]

_MEMBERS: Final = ({"begin"}, {"card", "from"}, {"field", "from"})
_HEX: Final = re.compile("[0-9a-f]{64}")  # upper case would be a second form of the same bytes
_MOST_HANDS: Final = 2**31
_MOST_SEALED: Final = 256
"""More sealed fields at a time than any game has; without this limit, checking a forged file could take hours."""


class _Begin(Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    first: int
    hand: int
    last: int
    stream: str
    viewer: int


class _Card(Struct, frozen=True, forbid_unknown_fields=True):
    epoch: str
    face: Face
    pos: int
    proof: tuple[str, ...]
    salt: str


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of openings.ndjson, with the members that `_MEMBERS` allows; a member may be null."""

    begin: _Begin | None = None
    from_: int = field(default=0, name="from")
    card: _Card | None = None
    sealed: FieldOpening | None = field(default=None, name="field")


def read_subject(files: Mapping[str, bytes], leaves: int) -> Subject:
    """Return what the dossier is about; *leaves* is the number of its leaves.

    Raises:
        DossierFlaw: the first line of openings.ndjson does not say what the dossier is about.
    """
    place = f"{archive.OPENINGS}, line 1"
    found = next(iter(lines_of(files, archive.OPENINGS)), b"")
    begin = _line(found, place).begin
    if begin is None or begin.format != FORMAT:
        raise DossierFlaw(place, f"must begin a dossier of the format {FORMAT}")
    is_whole = begin.hand > 0 or (begin.first, begin.last) == (1, leaves)
    are_numbers = 0 <= begin.hand < _MOST_HANDS and 0 <= begin.viewer < _MOST_HANDS
    if not (1 <= begin.first <= begin.last <= leaves and is_whole and are_numbers):
        raise DossierFlaw(place, "must name leaves of the dossier, a hand and a viewer")
    return Subject(stream=begin.stream, hand=begin.hand, viewer=begin.viewer, first=begin.first, last=begin.last)


def read_leaves(files: Mapping[str, bytes], stream: str, codec: Codec) -> tuple[RecordedEvent, ...]:
    """Return the events of the dossier, after checking bytes, positions, the hash chain and the ids of commands.

    Raises:
        DossierFlaw: a leaf is wrong.
    """
    recorded: list[RecordedEvent] = []
    cmds: set[str] = set()
    before, sealed = leaf.NO_HASH, disclosure.NOTHING_SEALED
    for position, data in enumerate(lines_of(files, archive.EVENTS), start=1):
        place = f"position {position}"
        try:
            codec.check_canonical(data)
            one = codec.decode(data)
            named = leaf.decode(data).stream
        except (leaf.Malformed, NotCanonical) as error:
            raise DossierFlaw(place, f"must be a leaf. {error}") from error
        if (named, one.position, one.prev) != (stream, position, before):
            raise DossierFlaw(place, f"must be position {position} of {stream}, after the leaf with the hash {before}")
        if one.cmd in cmds or (not one.cmd and (position == 1 or one.priv)):
            raise DossierFlaw(place, "must have the id of a new command, or be a consequence that seals nothing")
        if one.cmd:
            cmds.add(one.cmd)
        sealed = disclosure.evolve(sealed, one)
        if len(sealed) > _MOST_SEALED:
            raise DossierFlaw(place, f"at most {_MOST_SEALED} fields may be sealed at a time")
        recorded.append(one)
        before = one.hash.hex()
    return tuple(recorded)


def check_openings(files: Mapping[str, bytes], subject: Subject, recorded: Sequence[RecordedEvent]) -> Openings:
    """Check that openings.ndjson has each opening that the viewer may have, once and in order.

    Return the openings of sealed fields.

    Raises:
        DossierFlaw: an opening is missing, surplus, or does not match the log.
    """
    wanted = sorted(_allowed(subject, recorded), key=lambda one: one[0])  # The sort is stable.
    commitments = {
        (one.position, name): sealed for one in recorded for name, sealed in disclosure.committed(one).items()
    }
    roots = {one.event.epoch: one.event.deck_root for one in recorded if isinstance(one.event, DeckFixed)}
    fields: dict[FieldPlace, FieldOpening] = {}
    lines = lines_of(files, archive.OPENINGS)[1:]
    for number, data in enumerate(lines):
        place = f"{archive.OPENINGS}, line {number + 2}"
        line = _line(data, place)
        if number >= len(wanted):
            raise DossierFlaw(place, "the viewer may read no further value")
        position, what = wanted[number]
        if line.sealed and not line.card:
            opening = line.sealed
            found: tuple[int, Any] = (line.from_, (opening.position, opening.field))
            is_right = opening.stream == subject.stream and _matches(opening, commitments.get(found[1]))
            fields[found[1]] = opening
        else:
            found = (line.from_, (line.card.epoch, line.card.pos) if line.card and not line.sealed else None)
            is_right = line.card is not None and _is_of_deck(line.card, roots.get(line.card.epoch, ""))
        if found != (position, what) or not is_right:
            raise DossierFlaw(place, f"must be the opening of {what} from position {position} on, as the log has it")
    if len(lines) < len(wanted):
        raise DossierFlaw(archive.OPENINGS, f"the opening after line {len(lines) + 1} is missing")
    return fields


def _allowed(subject: Subject, recorded: Sequence[RecordedEvent]) -> Iterator[tuple[int, object]]:
    """Yield the cards, then the sealed fields, that the viewer may read, each with the position that discloses it.

    Of the fields that were sealed after the last event of the subject, yield only those that everybody may read. Leave
    out the fields whose values were erased.
    """
    disclosures, viewer = disclosures_of(recorded), subject.viewer
    for one in recorded[: subject.last]:
        if isinstance(one.event, CardsDealt) and one.event.epoch not in disclosures.ended:
            yield from (
                (one.position, (one.event.epoch, pos)) for pos, to in one.event.cards if viewer and to == viewer
            )
    state, given = disclosure.NOTHING_SEALED, set[FieldPlace]()
    for one in recorded:
        for new in disclosure.disclosures(state, one):
            place = (new.sealed_field.position, new.sealed_field.field)
            is_shown = place[0] <= subject.last or disclosures.ends.get(place) == "open"
            left_out = not is_shown or place in given or place in disclosures.erased
            if (new.to is None or viewer in new.to) and not left_out:
                given.add(place)
                yield one.position, place
        state = disclosure.evolve(state, one)


def _matches(opening: FieldOpening, committed: Committed | None) -> bool:
    if committed is None:
        return False
    try:
        check_opening(opening, committed)
    except OpeningMustMatch:
        return False
    return _HEX.fullmatch(opening.salt) is not None


def _is_of_deck(card: _Card, root: str) -> bool:
    return all(map(_HEX.fullmatch, (card.salt, *card.proof))) and deck.verify_face(
        root, n=len(PACK), epoch=card.epoch, position=card.pos, face=card.face, salt=card.salt, proof=card.proof
    )


def _line(data: bytes, place: str) -> _Line:
    try:
        value = msgspec.json.decode(data)
        if isinstance(value, dict) and value.keys() in _MEMBERS and canonical(value) == data:
            line = msgspec.convert(value, _Line)
            # An empty `blind` must be left out.
            if line.sealed is None or msgspec.to_builtins(line.sealed) == value["field"]:
                return line
    except (msgspec.DecodeError, NotCanonical, RecursionError, UnicodeDecodeError) as error:
        raise DossierFlaw(place, f"must be a line of openings. {error}") from error
    why = "must be canonical JSON, with begin, or card and from, or field and from; no member may be empty"
    raise DossierFlaw(place, why)
