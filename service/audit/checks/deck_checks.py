"""Checks the events of each deck: its commitment, its fixed order, deals, shown cards, and the reveal (deck/v1)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from service import deck
from service.audit.findings import Finding, of_difference
from service.audit.judging.audit_known import SEED_MEMBER, AuditKnown
from service.audit.judging.disclosures import Disclosures
from service.cards import PACK
from service.deck import Deck
from service.games.common_events import (
    CardsBottomed,
    CardsDealt,
    DeckFixed,
    DeckOpened,
    DeckRevealed,
    DeckUnused,
    ShownFace,
    shown_faces,
)
from service.tables.fold import Step

_PACK_ID: Final = deck.input_id(PACK)
_PROOFS: Final = {
    "server_seed": "server_commit_must_bind_the_seed",
    "transcript": "fixed_deck_must_be_the_seeds",
    "deck_root": "fixed_deck_must_be_the_seeds",
    "epoch": "retired_deck_must_be_told",
}


@cache
def _gives_order(kind: Any) -> bool:  # noqa: ANN401 -- *kind* may be any type of event
    return {"epoch", "order"} <= set(kind.__struct_fields__)


class _DeckLife(Struct):
    """The state of a deck to which the service has committed, before the seed is revealed.

    *left*: the deck positions of the cards that are still to deal, from the top. *out*: the deck positions of the cards
    that were dealt and not put under the deck since. *shown*: each face that an event showed, with the position of that
    event.
    """

    is_fixed: bool = False
    left: list[int] = []
    out: set[int] = set()
    shown: list[tuple[int, ShownFace]] = []


class DeckCheck:
    """Checks the decks of one table, in any game, from the table's events."""

    def __init__(self, table: str, disclosures: Disclosures, known: AuditKnown, live: Mapping[str, Deck]) -> None:
        """Start before the first event of the table; *live* has the fixed, unrevealed decks whose seeds are stored."""
        self._table = table
        self._disclosures = disclosures
        self._known = known
        self._live = live
        self._lives: dict[str, _DeckLife] = {}
        self._opened = 0
        self._in_play = ""
        self._commits: set[str] = set()

    def check_command(self, steps: Sequence[Step]) -> Iterator[Finding]:
        """Check the events of the next command."""
        for step in steps:
            position, event = step.recorded.position, step.recorded.event
            match event:
                case DeckOpened():
                    yield from self._open(position, event)
                case DeckFixed():
                    yield from self._fix(position, event)
                case DeckRevealed() | DeckUnused():
                    yield from self._reveal(position, event)
                case CardsDealt():
                    yield from self._deal(position, event)
                case CardsBottomed():
                    yield from self._bottom(position, event)
                case _:
                    yield from self._reorder(position, event)
            yield from self._show(position, event)

    def check_end(self) -> Iterator[Finding]:
        """After the last event, check the proof of every deck, and the shown cards of the decks in `live`."""
        for epoch in self._disclosures.opened:
            difference = self._known.proof(epoch).difference
            if difference and difference.member != SEED_MEMBER:  # `sealed_rows` reports a lost seed.
                yield of_difference(self._table, _PROOFS[difference.member], difference, epoch)
        for epoch, life in self._lives.items():
            if epoch in self._live:
                yield from self._compare_shown(life, self._live[epoch])

    def _open(self, position: int, event: DeckOpened) -> Iterator[Finding]:
        self._opened += 1
        wanted = f"{self._table}/{self._opened}"
        if event.epoch != wanted:
            yield self._finding(position, "epoch_must_be_opened_once", wanted, event.epoch, "epoch")
        if event.server_commit in self._commits:
            yield self._finding(
                position, "server_commit_must_be_new", "a new commitment", event.server_commit, "server_commit"
            )
        if (event.input_id, event.n) != (_PACK_ID, len(PACK)):
            found = f"{event.input_id}, {event.n} cards"
            yield self._finding(position, "pack_must_be_the_games", f"{_PACK_ID}, {len(PACK)} cards", found, "input_id")
        self._commits.add(event.server_commit)
        self._lives[event.epoch] = _DeckLife()

    def _fix(self, position: int, event: DeckFixed) -> Iterator[Finding]:
        life = self._lives.get(event.epoch)
        if life is None or life.is_fixed:
            yield self._finding(
                position, "deck_must_be_in_reserve", "a deck that is not fixed yet", event.epoch, "epoch"
            )
            return
        life.is_fixed, life.left = True, list(range(len(PACK)))
        self._in_play = event.epoch

    def _reveal(self, position: int, event: DeckRevealed | DeckUnused) -> Iterator[Finding]:
        life = self._lives.pop(event.epoch, None)
        if life is None or life.is_fixed is isinstance(event, DeckUnused):
            wanted = "a deck that was never fixed" if isinstance(event, DeckUnused) else "a deck that was fixed"
            yield self._finding(position, "seed_must_be_told_once", wanted, event.epoch, "epoch")
        if life:
            yield from self._compare_shown(life, self._known.revealed(event.epoch))

    def _deal(self, position: int, event: CardsDealt) -> Iterator[Finding]:
        life = self._lives.get(event.epoch)
        if life is None or not life.is_fixed or event.epoch != self._in_play:
            yield self._finding(position, "deal_must_be_from_the_deck_in_play", self._in_play, event.epoch, "epoch")
            return
        dealt = [place for place, _ in event.cards]
        if dealt != life.left[: len(dealt)]:
            top = life.left[: len(dealt)]
            yield self._finding(position, "deal_must_follow_the_deck", f"from the top {top}", str(dealt), "cards")
        life.left = [place for place in life.left if place not in dealt]
        life.out.update(dealt)

    def _bottom(self, position: int, event: CardsBottomed) -> Iterator[Finding]:
        life = self._lives.get(event.epoch)
        placed = set(event.positions)
        if life is None or not placed <= life.out or len(placed) != len(event.positions):
            yield self._finding(
                position, "bottomed_cards_must_be_used", "cards that were dealt", str(event.positions), "positions"
            )
        if life:
            life.left += event.positions
            life.out -= placed

    def _reorder(self, position: int, event: Any) -> Iterator[Finding]:  # noqa: ANN401 -- the event may be of any game
        """If *event* gives the deck a new order, check that this order has exactly the cards left to deal."""
        if not _gives_order(event.__class__):
            return
        life = self._lives.get(event.epoch)
        if life is None or sorted(event.order) != sorted(life.left):
            yield self._finding(
                position, "order_must_be_of_the_same_cards", "all cards that are left", str(event.order), "order"
            )
        if life:
            life.left = list(event.order)

    def _show(self, position: int, event: Any) -> Iterator[Finding]:  # noqa: ANN401 -- the event may be of any game
        for card in shown_faces(event):
            life = self._lives.get(card.epoch)
            if life is None or not life.is_fixed or not 0 <= card.pos < len(PACK):
                yield self._finding(
                    position, "face_must_be_of_a_fixed_deck", "a card of a fixed deck", f"{card.epoch} {card.pos}"
                )
            else:
                life.shown.append((position, card))

    def _compare_shown(self, life: _DeckLife, true_deck: Deck) -> Iterator[Finding]:
        for position, card in life.shown:
            for member, expected, found in (
                ("face", true_deck.order[card.pos], card.face),
                ("salt", true_deck.salts[card.pos], card.salt),
            ):
                if expected != found:
                    wanted = expected if card.epoch not in self._live else "another value, which is not public yet"
                    yield self._finding(position, f"{member}_must_be_the_decks", wanted, found, f"pos {card.pos}")

    def _finding(self, position: int, check: str, expected: str, found: str, detail: str = "") -> Finding:
        return Finding(table=self._table, position=position, check=check, expected=expected, found=found, detail=detail)
