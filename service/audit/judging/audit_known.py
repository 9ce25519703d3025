"""The audit's `Known`: decks and sealed values from what the log itself has opened (DECISIONS 4, 17 and 34)."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple, SupportsIndex, overload

from service import deck
from service.audit.differences import Difference
from service.audit.judging import erasures
from service.audit.judging.disclosures import Disclosures
from service.audit.verdicts import Verdict
from service.cards import PACK, UNKNOWN
from service.deck import Deck
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games.faces import ShownFace

Shuffle = Callable[[str, bytes], Deck]
"""Makes the deck of an epoch from its seed."""

NO_LOST_EPOCHS: Final[frozenset[str]] = frozenset()

SEALED_OR_ERASED: Final = "what was sealed there, or its erasure on record"
"""The expected text of a finding, where a sealed value is missing or altered."""
SEED_MEMBER: Final = "sealed_seed"
"""The member of a difference, where a seed is missing or altered."""

_NOT_RECORDED: Final = "0" * 64
_ABSENT: Final = object()
_MOST_DECKS: Final = 16  # more than one command can ask for


class NotYetOpen(Exception):
    """The rules ask for a card or a sealed field that is not open to everybody yet."""


class Erased(Exception):
    """The rules ask for a sealed field that was opened, and whose value is erased or not at hand."""


class Lost(Erased):
    """A sealed value is missing or altered, and no erasure is on record."""


LOST: Final = object()
"""The value of a sealed field that is missing or altered in the sealed store."""

Fields = Callable[[RecordedEvent], Mapping[str, Any]]
"""Returns the values of an event's sealed fields that are at hand; each matches its commitment, or is LOST."""


def no_fields(_recorded: RecordedEvent) -> Mapping[str, Any]:
    """Return none: no openings are at hand."""
    return {}


class Proof(NamedTuple):
    """Whether a deck matches its commitments; if not, the difference."""

    verdict: Verdict
    difference: Difference | None = None


class AuditKnown:
    """Answers the rules from one table's log and what it has opened to everybody, as a stranger could.

    Commitments and seeds are the recorded ones. A deck follows from its revealed seed; before that it has only the
    faces that were shown. *lost_epochs*: the epochs whose seeds are missing. *asked*: the epochs whose decks the rules
    asked for since `forget_asked`. Of the values that *fields* returns, the rules get only those open to everybody.
    """

    def __init__(
        self,
        disclosures: Disclosures,
        lost_epochs: Collection[str] = NO_LOST_EPOCHS,
        shuffle: Shuffle = deck.shuffle,
        fields: Fields = no_fields,
    ) -> None:
        self.asked: set[str] = set()
        self._fields = fields
        self._sealed: dict[tuple[int, str], Any] = {}
        self._disclosures = disclosures
        self._lost_epochs = lost_epochs
        self._shuffle = shuffle
        self._decks: OrderedDict[str, Deck] = OrderedDict()
        self._proofs: dict[str, Proof] = {}
        self._shown: dict[str, dict[int, ShownFace]] = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- JSON
        """Return the value that *seat* sealed last under *field*; None: it stays sealed for good.

        Raises:
            NotYetOpen, Erased: the audit cannot know it.
        """
        return _open(self._sealed[seat, field])

    def values_of(self, recorded: RecordedEvent) -> Mapping[str, Any]:
        """Return the values of the sealed fields of *recorded*, or the exceptions that say why one is not known."""
        if not recorded.priv:
            return {}
        found = self._fields(recorded)
        return {field: self._value((recorded.position, field), found.get(field, _ABSENT)) for field in recorded.priv}

    def erased_too_soon(self, recorded: RecordedEvent, running_since: int) -> Difference | None:
        """As `erasures.too_soon`."""
        return erasures.too_soon(self._disclosures, recorded, running_since)

    def overdue(self, recorded: RecordedEvent) -> str:
        """Return a sealed field of *recorded* that is not open though its hand is over, and never will be; "": none."""
        places = ((recorded.position, field) for field in sorted(recorded.priv))
        return next(
            (place[1] for place in places if place in self._disclosures.overdue - self._disclosures.ends.keys()), ""
        )

    def remember(self, recorded: RecordedEvent) -> None:
        """Keep the sealed fields of an event for later decisions."""
        if not recorded.priv:
            return
        event: Any = recorded.event
        for field, value in self.values_of(recorded).items():
            self._sealed[getattr(event, "seat", 0), field] = value

    def server_commit(self, epoch: str) -> str:
        """Return the commitment that was recorded for *epoch*."""
        deck_event = self._disclosures.opened.get(epoch)
        return deck_event.event.server_commit if deck_event else _NOT_RECORDED

    def server_seed(self, epoch: str) -> str:
        """Return the seed that was revealed for *epoch*."""
        deck_event = self._disclosures.ended.get(epoch)
        return bytes.fromhex(deck_event.event.server_seed).hex() if deck_event else _NOT_RECORDED

    def deck(self, epoch: str) -> Deck:
        """Return the deck of *epoch*, as far as it is open; reading an unknown card raises `NotYetOpen`."""
        self.asked.add(epoch)
        if epoch in self._disclosures.ended:
            return self.revealed(epoch)
        return self._partial(epoch)

    def forget_asked(self) -> None:
        """Forget which decks the rules asked for."""
        if self.asked:
            self.asked = set()

    def show(self, card: ShownFace) -> None:
        """Add a face that the log shows, for decks that are not revealed."""
        if card.epoch not in self._disclosures.ended:
            self._shown.setdefault(card.epoch, {})[card.pos] = card

    def proof(self, epoch: str) -> Proof:
        """Return the proof that the deck of *epoch* is revealed, and is the one that was committed to and fixed."""
        if epoch not in self._proofs:
            self._proofs[epoch] = self._proven(epoch) if epoch in self._disclosures.ended else self._unproven(epoch)
        return self._proofs[epoch]

    def proofs(self) -> tuple[Proof, ...]:
        """Return the proofs of all decks that were opened."""
        return tuple(self.proof(epoch) for epoch in self._disclosures.opened)

    def revealed(self, epoch: str) -> Deck:
        """Return the deck of *epoch*, whose seed the log has revealed."""
        made = self._decks.get(epoch)
        if made is None:
            made = self._decks[epoch] = self._shuffle(epoch, bytes.fromhex(self.server_seed(epoch)))
            if len(self._decks) > _MOST_DECKS:
                self._decks.popitem(last=False)
        return made

    def _value(self, place: FieldPlace, found: Any) -> Any:  # noqa: ANN401 -- JSON
        end = self._disclosures.ends.get(place, "")
        if found is LOST and place not in self._disclosures.erased:
            return Lost()
        if end == "never":
            return None
        if end != "open":
            return NotYetOpen()
        return Erased() if found in (_ABSENT, LOST) else found

    def _partial(self, epoch: str) -> Deck:
        fixed = self._disclosures.fixed.get(epoch)
        shown = self._shown.get(epoch, {})
        places = range(len(PACK))
        return Deck(
            epoch,
            _Partial(shown[place].face if place in shown else UNKNOWN for place in places),
            _Partial(shown[place].salt if place in shown else UNKNOWN for place in places),
            fixed.event.deck_root if fixed else _NOT_RECORDED,
            fixed.event.transcript if fixed else _NOT_RECORDED,
        )

    def _proven(self, epoch: str) -> Proof:
        seed, commit = self.server_seed(epoch), self.server_commit(epoch)
        position = self._disclosures.ended[epoch].position
        if (found := deck.server_commit(epoch, bytes.fromhex(seed))) != commit:
            return _failed(position, "server_seed", f"a seed with the commitment {commit}", f"one with {found}")
        if (fixed := self._disclosures.fixed.get(epoch)) is None:
            return Proof(Verdict.CLEAN)
        made = self.revealed(epoch)
        for member, expected, found in (
            ("transcript", made.transcript, fixed.event.transcript),
            ("deck_root", made.root, fixed.event.deck_root),
        ):
            if expected != found:
                return _failed(fixed.position, member, expected, found)
        return Proof(Verdict.CLEAN)

    def _unproven(self, epoch: str) -> Proof:
        if epoch in self._lost_epochs:
            position = self._disclosures.opened[epoch].position if epoch in self._disclosures.opened else 0
            return _failed(position, SEED_MEMBER, "kept until it is revealed", "missing, or altered")
        if self._disclosures.is_overdue(epoch):
            opened = self._disclosures.opened.get(epoch)
            return _failed(opened.position if opened else 0, "epoch", "revealed once it is retired", "not revealed")
        return Proof(Verdict.PENDING)


def open_value(values: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401 -- JSON
    """Return the value of *field* out of an event's sealed *values*; None: it stays sealed for good.

    Raises:
        NotYetOpen, Erased: the audit cannot know it.
    """
    return _open(values.get(field))


def _open(value: Any) -> Any:  # noqa: ANN401 -- JSON
    if isinstance(value, Exception):
        raise value
    return value


class _Partial(tuple[str, ...]):
    """The cards or salts of a deck of which only some are open."""

    __slots__ = ()

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> str: ...
    @overload
    def __getitem__(self, place: slice, /) -> tuple[str, ...]: ...
    def __getitem__(self, place: SupportsIndex | slice, /) -> str | tuple[str, ...]:
        """Return the card or salt there.

        Raises:
            NotYetOpen: it is not open.
        """
        found = super().__getitem__(place)
        if UNKNOWN in ({found} if isinstance(found, str) else found):
            raise NotYetOpen
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over all of them.

        Raises:
            NotYetOpen: at the first that is not open.
        """
        return (self[place] for place in range(len(self)))


def _failed(position: int, member: str, expected: str, found: str) -> Proof:
    return Proof(Verdict.FAILED, Difference(position=position, member=member, expected=expected, found=found))
