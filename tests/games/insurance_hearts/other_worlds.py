"""Other worlds of Insurance Hearts: its commands name cards, so another world has other commands too.

Of each suit, two cards change places in the deck and in the commands, and sealed numbers differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from random import Random

from msgspec.structs import replace

from service.cards import PACK, SUITS, Face
from service.games.common_events import CardsDealt, CardsShown, DeckRevealed, HandDealt
from service.games.definition import Game
from service.games.game import Command, Event
from service.games.insurance_hearts.commands import MakeNoBid, PassCards, PlaceBid, WriteSlip
from service.games.insurance_hearts.events import BidsOpened, CardPlayed, CardsPassed, FootTold, HandScored, PlayBegun
from service.games.insurance_hearts.state import State
from service.games.table_state import TableState
from tests.games.other_worlds import SwappedDecks, World, explicit
from tests.games.random_play import decks_of
from tests.games.steps import Step

PASSED_TO = {"left": 1, "across": 2, "right": 3}
"""By direction: the number of seats, clockwise, from the giver to the receiver."""
OPENED_BY: Mapping[str, type[Event]] = {
    "insurance": HandScored,
    "foot": FootTold,
    "cards": DeckRevealed,
    "bid": BidsOpened,
}
"""The event that makes a sealed field public (IH.2, IH.3, H-PASS.1, IH.8)."""


def other_world(
    game: Game, seed: int, steps: Sequence[Step], viewer: int, known: Mapping[str, set[int]]
) -> World | None:
    """Return another world that *viewer* can't tell from the world of *steps*; None: the viewer knows everything."""
    last = steps[-1].after[-1]
    begun = next((place for place, step in enumerate(steps) if _deals(step, last)), len(steps))
    swapped = _swapped(Random(seed), set(PACK) - set(_known_faces(steps[begun:], viewer, seed))) if last.epoch else {}
    commands = [
        _elsewhere(game, steps[place:], viewer, swapped if place >= begun else {}) for place in range(len(steps))
    ]
    if not swapped and all(other == explicit(game, step) for other, step in zip(commands, steps, strict=True)):
        return None
    return World(SwappedDecks(seed, known, last.epoch, swapped), commands)


def _deals(step: Step, last: TableState) -> bool:
    """Return whether *step* deals the hand that is running in the state *last*."""
    return isinstance(step.events[0], HandDealt) and step.events[0].hand == last.hand and last.hand_is_running


def _known_faces(steps: Sequence[Step], viewer: int, seed: int) -> Iterator[Face]:
    """Yield the faces that *viewer* may know in the hand of *steps*."""
    decks = decks_of(seed)
    for place, step in enumerate(steps):
        for field in {"cards", "bid"} & set(step.secrets):
            value = step.sealed(field)
            if may_read(steps[place:], field, viewer):
                yield from value if field == "cards" else (value["shown"],)
        for event in step.events:
            match event:
                case CardsDealt():
                    order = decks.deck(event.epoch).order
                    yield from (order[position] for position, to in event.cards if to == viewer)
                case CardsShown():
                    yield from (card.face for card in event.cards)
                case PlayBegun():
                    yield "2c"  # The leader has the two of clubs.
                case CardPlayed():
                    yield event.card
                case _:
                    pass


def may_read(steps: Sequence[Step], field: str, viewer: int) -> bool:
    """Return whether, after *steps*, the rulings let *viewer* read the *field* that the first step sealed."""
    seat = getattr(steps[0].events[0], "seat", 0)
    steps_of_hand = takewhile(lambda step: not isinstance(step.events[0], HandDealt), steps)
    events = [event for step in steps_of_hand for event in step.events]
    passed = next((PASSED_TO[event.direction] for event in events if isinstance(event, CardsPassed)), None)
    if field == "cards" and passed is not None and viewer == (seat - 1 + passed) % 4 + 1:
        return True
    return viewer == seat or any(isinstance(event, OPENED_BY[field]) for event in events)


def _swapped(chance: Random, unknown: set[Face]) -> Mapping[Face, Face]:
    """Choose two *unknown* faces of each suit, and map each face of a pair to the other."""
    swapped: dict[Face, Face] = {}
    for suit in SUITS:
        faces = sorted(face for face in unknown if face[1] == suit)
        if len(faces) > 1:
            one, other = chance.sample(faces, 2)
            swapped |= {one: other, other: one}
    return swapped


def _elsewhere(game: Game, steps: Sequence[Step], viewer: int, swapped: Mapping[Face, Face]) -> Command:
    """Return the other world's command in place of the command of the first of *steps*."""
    command, state = explicit(game, steps[0]), steps[0].before
    unread = {field for field in steps[0].secrets if not may_read(steps, field, viewer)}
    match command:
        case WriteSlip():
            assert isinstance(state, State)
            number = (command.insurance + 1) % 7 if "insurance" in unread else command.insurance
            may_call = getattr(steps[0].events[0], "seat", 0) not in state.feet_used
            return replace(command, insurance=number, foot=command.foot ^ ("foot" in unread and may_call))
        case PassCards():
            return replace(command, cards=tuple(swapped.get(face, face) for face in command.cards))
        case PlaceBid():
            more = 1 if "bid" in unread and command.points < 900 else 0
            return replace(command, points=command.points + more, shown=swapped.get(command.shown, command.shown))
        case MakeNoBid():
            return replace(command, shown=swapped.get(command.shown, command.shown))
        case _:
            return command
