"""The audit's `Known`: only the faces and sealed values that the log has made public (DECISIONS 4, 17 and 34)."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from service import deck
from service.audit.differences import Difference
from service.audit.judging import erasures
from service.audit.judging.disclosures import Disclosures
from service.audit.judging.signatures import Heads
from service.audit.verdicts import Verdict
from service.deck import Deck, Shuffle, of_hex
from service.event_store.codec import RecordedEvent
from service.event_store.disclosure import FieldPlace
from service.games.common_events import ShownFace
from service.games.game import NO_SEEDS, ClientSeeds, OrderCommitment, SaltedFace

NO_LOST_EPOCHS: Final[frozenset[str]] = frozenset()

SEALED_OR_ERASED: Final = "the sealed value, or a recorded erasure"
"""The member `expected` of differences and findings about a sealed value that is missing or altered."""
SEED_MEMBER: Final = "sealed_seed"
"""The `member` of a difference if the sealed seed of an unrevealed deck is missing or altered."""

_NOT_RECORDED: Final = "0" * 64
_NO_ORDER: Final = OrderCommitment(_NOT_RECORDED, _NOT_RECORDED)
_ABSENT: Final = object()
_MOST_DECKS: Final = 16  # more decks than one command asks for


class NotYetOpen(Exception):
    """The rules ask for a card or a sealed value that is not public yet."""


class Erased(Exception):
    """The rules ask for a sealed value that was made public, but the value was erased or is not available."""


class Lost(Erased):
    """A sealed value is missing or altered, and no erasure is recorded."""


STAYS_SEALED: Final = object()
"""Stands for the value of a sealed field that is closed for good; no JSON value is this object."""
LOST: Final = object()
"""The value of a sealed field that is missing or altered in the sealed store."""

Fields = Callable[[RecordedEvent], Mapping[str, Any]]
"""A function that returns the values of an event's sealed fields, by field.

Each value matches its commitment or is LOST; a value that an import did not contain is left out.
"""


def no_fields(_recorded: RecordedEvent) -> Mapping[str, Any]:
    """Return no values: no openings are available."""
    return {}


class Proof(NamedTuple):
    """The *verdict* on a deck: CLEAN if its seed is revealed and matches the commitments; PENDING before the reveal.

    FAILED if the seed does not match; also before the reveal, if the seed is lost or its reveal is overdue.
    *difference* is None unless the verdict is FAILED.
    """

    verdict: Verdict
    difference: Difference | None = None


class AuditKnown:
    """Gives the rules only the faces and sealed values that one table's stream has made public.

    The commitments and seeds come from the log. If the log reveals the seed of a deck, even in a later event, the rules
    get all faces of the deck; otherwise they get only the faces that events have shown. Of the values that *fields*
    returns, the rules get only the public values. *lost_epochs*: the epochs of the unrevealed decks whose seeds are
    missing or altered. `heads`: the events that signatures may name. `asked`: the epochs of the decks about which the
    rules asked since the last `forget_asked`.
    """

    def __init__(
        self,
        disclosures: Disclosures,
        lost_epochs: Collection[str] = NO_LOST_EPOCHS,
        shuffle: Shuffle = deck.shuffle,
        fields: Fields = no_fields,
    ) -> None:
        self.asked: set[str] = set()
        self.heads: Final = Heads()
        self._fields = fields
        self._sealed: dict[tuple[int, str], Any] = {}
        self._disclosures = disclosures
        self._lost_epochs = lost_epochs
        self._shuffle = shuffle
        self._decks: OrderedDict[str, Deck] = OrderedDict()
        self._proofs: dict[str, Proof] = {}
        self._shown: dict[str, dict[int, ShownFace]] = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that *seat* sealed last under *field*, or None if the value is closed for good.

        Raises:
            NotYetOpen, Erased: the audit cannot know the value.
            KeyError: *seat* has sealed no value under *field*.
        """
        return _open(self._sealed[seat, field])

    def values_of(self, recorded: RecordedEvent) -> Mapping[str, Any]:
        """Return the sealed values of *recorded*, by field.

        `STAYS_SEALED` replaces a value that is closed for good. An exception replaces a value that the audit cannot
        know; `open_value` and `sealed` raise this exception.
        """
        if not recorded.priv:
            return {}
        found = self._fields(recorded)
        return {field: self._value((recorded.position, field), found.get(field, _ABSENT)) for field in recorded.priv}

    def erased_too_soon(self, recorded: RecordedEvent, running_since: int) -> Difference | None:
        """Return a difference if *recorded* is an erasure that was not allowed yet; see `erasures.too_soon`."""
        return erasures.too_soon(self._disclosures, recorded, running_since)

    def overdue(self, recorded: RecordedEvent) -> str:
        """Return the name of the alphabetically first overdue sealed field of *recorded*, or "" if there is none.

        A field that a later event made public or closed for good does not count.
        """
        places = ((recorded.position, field) for field in sorted(recorded.priv))
        return next(
            (place[1] for place in places if place in self._disclosures.overdue - self._disclosures.ends.keys()), ""
        )

    def remember(self, recorded: RecordedEvent) -> None:
        """Remember the values of an event's sealed fields for later decisions."""
        if not recorded.priv:
            return
        event: Any = recorded.event
        for field, value in self.values_of(recorded).items():
            self._sealed[getattr(event, "seat", 0), field] = value

    def server_commit(self, epoch: str) -> str:
        """Return the recorded commitment to the deck of *epoch*, or 64 zeros if none is recorded."""
        deck_event = self._disclosures.opened.get(epoch)
        return deck_event.event.server_commit if deck_event else _NOT_RECORDED

    def server_seed(self, epoch: str) -> str:
        """Return the revealed seed of the deck of *epoch*, or 64 zeros if the log does not reveal the seed."""
        deck_event = self._disclosures.ended.get(epoch)
        return bytes.fromhex(deck_event.event.server_seed).hex() if deck_event else _NOT_RECORDED

    def order_commitment(self, epoch: str, _seeds: ClientSeeds = NO_SEEDS) -> OrderCommitment:
        """Return the commitment to the order of the deck of *epoch*.

        If the log reveals the seed, the commitment is computed from the seed. Otherwise it is the recorded commitment,
        or zeros if none is recorded.
        """
        self.asked.add(epoch)
        if epoch in self._disclosures.ended:
            deck = self.revealed(epoch)
            return OrderCommitment(deck.transcript, deck.root)
        fixed = self._disclosures.fixed.get(epoch)
        return OrderCommitment(fixed.event.transcript, fixed.event.deck_root) if fixed else _NO_ORDER

    def faces(self, epoch: str, positions: Sequence[int]) -> tuple[SaltedFace, ...]:
        """Return the cards at *positions* of the deck of *epoch*.

        Raises:
            NotYetOpen: one of the cards is not public.
        """
        self.asked.add(epoch)
        if epoch in self._disclosures.ended:
            deck = self.revealed(epoch)
            return tuple([SaltedFace(position, deck.order[position], deck.salts[position]) for position in positions])
        shown = self._shown.get(epoch, {})
        if any(position not in shown for position in positions):
            raise NotYetOpen
        return tuple([SaltedFace(position, shown[position].face, shown[position].salt) for position in positions])

    def forget_asked(self) -> None:
        """Forget which decks the rules asked for."""
        if self.asked:
            self.asked = set()

    def show(self, card: ShownFace) -> None:
        """Remember *card*, whose face an event showed, unless the log reveals the seed of the card's deck."""
        if card.epoch not in self._disclosures.ended:
            self._shown.setdefault(card.epoch, {})[card.pos] = card

    def proof(self, epoch: str) -> Proof:
        """Return the proof of the deck of *epoch*: whether its seed matches the commitment and `deck_fixed`."""
        if epoch not in self._proofs:
            self._proofs[epoch] = self._proven(epoch) if epoch in self._disclosures.ended else self._unproven(epoch)
        return self._proofs[epoch]

    def forget_unproven(self) -> None:
        """Forget each proof that is not CLEAN: after the stream has grown, new events may prove the deck."""
        self._proofs = {epoch: proof for epoch, proof in self._proofs.items() if proof.verdict is Verdict.CLEAN}

    def proofs(self) -> tuple[Proof, ...]:
        """Return the proofs of all decks to which the service committed."""
        return tuple(self.proof(epoch) for epoch in self._disclosures.opened)

    def revealed(self, epoch: str) -> Deck:
        """Return the deck of *epoch*, whose seed the log has revealed."""
        made = self._decks.get(epoch)
        if made is None:
            clients = of_hex(self._disclosures.clients(epoch))
            made = self._decks[epoch] = self._shuffle(epoch, bytes.fromhex(self.server_seed(epoch)), clients)
            if len(self._decks) > _MOST_DECKS:
                self._decks.popitem(last=False)
        return made

    def _value(self, place: FieldPlace, found: Any) -> Any:  # noqa: ANN401 -- the value may be any JSON
        end = self._disclosures.ends.get(place, "")
        if found is LOST and place not in self._disclosures.erased:
            return Lost()
        if end == "never":
            return STAYS_SEALED
        if end != "open":
            return NotYetOpen()
        return Erased() if found in (_ABSENT, LOST) else found

    def _proven(self, epoch: str) -> Proof:
        seed, commit = self.server_seed(epoch), self.server_commit(epoch)
        position = self._disclosures.ended[epoch].position
        if (found := deck.server_commit(epoch, bytes.fromhex(seed))) != commit:
            return _failed(
                position, "server_seed", f"a seed with the commitment {commit}", f"a seed with the commitment {found}"
            )
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
            return _failed(position, SEED_MEMBER, "a sealed seed until the reveal", "missing, or altered")
        if self._disclosures.is_overdue(epoch):
            opened = self._disclosures.opened.get(epoch)
            return _failed(opened.position if opened else 0, "epoch", "revealed once it is retired", "not revealed")
        return Proof(Verdict.PENDING)


def open_value(values: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return the value of *field* in an event's sealed *values*, or None if the value is absent or closed for good.

    Raises:
        NotYetOpen, Erased: the audit cannot know the value.
    """
    return _open(values.get(field))


def _open(value: Any) -> Any:  # noqa: ANN401 -- the value may be any JSON
    if isinstance(value, Exception):
        raise value
    return None if value is STAYS_SEALED else value


def _failed(position: int, member: str, expected: str, found: str) -> Proof:
    return Proof(Verdict.FAILED, Difference(position=position, member=member, expected=expected, found=found))
