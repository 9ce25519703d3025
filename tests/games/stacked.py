"""Decks whose order a test chooses."""

from collections.abc import Iterable
from typing import Any

from service.cards import PACK, Face
from service.deck import Deck
from service.games.common_events import CardsDealt
from service.games.decks import KnownDecks
from service.games.game import Event

TABLE = "tbl_" + "7" * 32


def epoch_of(number: int) -> str:
    """Return the epoch of the table's deck number *number* (from 1)."""
    return f"{TABLE}/{number}"


def salt(position: int) -> str:
    """Return the fake salt of the card at *position*, the same in every deck."""
    return f"{position:064x}"


class StackedDecks(KnownDecks):
    """The hidden inputs of the rules (`Known`), with decks whose order a test chooses."""

    def __init__(self) -> None:
        self._orders: dict[str, list[Face]] = {}
        self._dealt: set[tuple[str, int]] = set()

    def server_commit(self, epoch: str) -> str:
        return f"c{_number(epoch):063x}"

    def server_seed(self, epoch: str) -> str:
        return f"5{_number(epoch):063x}"

    def deck(self, epoch: str) -> Deck:
        salts = tuple(salt(position) for position in range(len(PACK)))
        number = f"{_number(epoch):062x}"
        return Deck(epoch, tuple(self._order(epoch)), salts, root="d0" + number, transcript="d1" + number)

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        raise LookupError(seat, field)

    def put(self, epoch: str, places: Iterable[int], faces: str) -> None:
        """Put *faces* at *places* of the deck of *epoch*: each face changes places with the card that was there."""
        order_ = self._order(epoch)
        chosen = faces.split()
        places = tuple(places)[: len(chosen)]
        assert len(places) == len(chosen), f"no place for {chosen[len(places) :]}"
        assert len(set(chosen)) == len(chosen), f"a pack has no card twice: {faces}"
        fixed: set[int] = set()
        for place, face in zip(places, chosen, strict=True):
            other = order_.index(face)
            if other != place:
                moved = {(epoch, place), (epoch, other)} & self._dealt
                assert not moved, f"{face} cannot be moved: it, or the card in its place, was dealt before"
                assert other not in fixed
                order_[place], order_[other] = order_[other], order_[place]
            fixed.add(place)

    def follow(self, event: Event) -> None:
        if isinstance(event, CardsDealt):
            self._dealt.update((event.epoch, position) for position, _ in event.cards)

    def _order(self, epoch: str) -> list[Face]:
        return self._orders.setdefault(epoch, list(PACK))


def _number(epoch: str) -> int:
    return int(epoch.rpartition("/")[2])
