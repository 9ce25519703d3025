"""Other worlds for a viewer: all facts that the viewer may know are the same; hidden cards and values differ."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.cards import PACK, Face
from service.deck import Deck
from service.games.common_commands import CallTime
from service.games.common_events import CardsDealt, CardsShown, DeckOpened, DeckRevealed, DeckUnused, FaceShown
from service.games.definition import Game
from service.games.full_viewpoint import FullViewpoint
from service.games.game import Action, Command, Event, Refusal, Secret
from service.games.seeds import seed_rules
from service.games.table_state import TableState
from tests.games.facts import facts_of, sealed_field
from tests.games.random_play import decks_of, filled, listed
from tests.games.steps import ShuffledDecks, Step

Renaming = Mapping[Face, Face]
"""The new face for each face of a deck; a face without a new face stays the same."""

DRAWS = 30
"""How many legal commands are drawn to find one that seals other values."""
NEARLY = 0.5
"""The probability that `_nearly` makes the command from a drawn action of the same type as the command to replace."""


class Knowledge(Struct, frozen=True):
    """For each opened deck, the positions of cards that a viewer knows, or about which the viewer knows a fact."""

    known: Mapping[str, set[int]]
    followed: Mapping[str, set[int]]


class OtherDecks(ShuffledDecks):
    """The decks of another world; *renamed* has the new names of faces, by epoch."""

    def __init__(self, seed: int, renamed: Mapping[str, Renaming]) -> None:
        super().__init__(seed, twins=seed % 3 == 0)
        self.renamed = renamed
        self._others: dict[str, Deck] = {}

    def deck(self, epoch: str) -> Deck:
        if epoch not in self._others:
            deck, names = super().deck(epoch), self.renamed.get(epoch, {})
            order = tuple(names.get(face, face) for face in deck.order)
            self._others[epoch] = replace(
                deck, order=order, root="f" + deck.root[1:], transcript="f" + deck.transcript[1:]
            )
        return self._others[epoch]


class OtherWorld:
    """Another world for *viewer* (0: everybody), who has seen *steps* of the random game of *seed*.

    In each deck that is not revealed, every card that the viewer may not know changes places with another hidden card,
    if the facts that the viewer knows allow it. `varied` has the statuses of the decks that differ from ours, and the
    names of the sealed fields that differ.
    """

    def __init__(self, game: Game, seed: int, steps: Sequence[Step], viewer: int, chance: Random) -> None:
        self._game, self._steps, self._viewer, self._chance = game, steps, viewer, chance
        self._ours = decks_of(seed)
        knowledge = what_may_be_known(game, self._ours, steps, viewer)
        renamed = {
            epoch: _renaming(game, self._ours.deck(epoch).order, known, knowledge.followed[epoch], chance)
            for epoch, known in knowledge.known.items()
        }
        self.decks = OtherDecks(seed, renamed)
        statuses = steps[-1].after[-1].decks
        self.varied: set[str] = {statuses[epoch] for epoch, names in renamed.items() if names}

    def command(self, place: int, state: TableState) -> Command:
        """Return the command of this world, in *state*, that replaces the command of the step at *place*."""
        step = self._steps[place]
        names = self.decks.renamed.get(step.before.epoch, {})
        values = {field: with_names(step.sealed(field), names) for field in step.secrets}
        command = chosen(self._game, step, self._ours)
        if values:
            command = self._game.command_of(step.events[0], command.by, values.get)
        unread = {field for field in values if not may_read(self._game, self._steps[place:], field, self._viewer)}
        if not unread:
            return command
        best, most = command, 0
        for other in self._others(state, command):
            differ = self._varied_by(place, state, other, values, unread)
            if len(differ) > most:
                best, most = other, len(differ)
            if most == len(unread):
                break
        return self._note(best, place, state)

    def _others(self, state: TableState, command: Command) -> Iterator[Command]:
        """Draw legal commands of the actor of *command*."""
        actions = listed(self._game, state, command.by, self.decks)
        for _ in range(DRAWS):
            action = self._chance.choice(actions)
            if self._chance.random() < NEARLY and type(action.command) is type(command):
                yield _nearly(self._chance, command, action)
            else:
                yield filled(self._chance, action)

    def _varied_by(
        self, place: int, state: TableState, other: Command, values: Mapping[str, Any], unread: set[str]
    ) -> set[str]:
        """Return the fields under which *other* seals another value; none if *other* can't replace the command."""
        step = self._steps[place]
        secrets = sealed_by(self._game, state, other, self.decks, step.events[0])
        if secrets is None or secrets.keys() != values.keys():
            return set()
        found = {field: _json(secret) for field, secret in secrets.items()}
        differ = {field for field, value in found.items() if value != values[field]}
        if differ - unread:
            return set()
        hidden = set(self.decks.renamed.get(step.before.epoch, {}))
        steps = self._steps[place:]
        may_differ = all(
            sealed_field(self._game.name, field).may_be(steps, values[field], found[field], hidden) for field in differ
        )
        return differ if may_differ else set()

    def _note(self, command: Command, place: int, state: TableState) -> Command:
        """Add to `varied` the fields under which *command* seals another value than in our world; return *command*."""
        step = self._steps[place]
        secrets = sealed_by(self._game, state, command, self.decks, step.events[0]) or {}
        self.varied |= {field for field, secret in secrets.items() if _json(secret) != step.sealed(field)}
        return command


def what_may_be_known(game: Game, ours: ShuffledDecks, steps: Sequence[Step], viewer: int) -> Knowledge:
    """Return the cards that *viewer* may know, or may know a fact about, in each deck; in a revealed deck, all cards.

    A card that only the present view shows does not count as known: the test removes the member that shows the card.
    """
    facts = facts_of(game.name)
    known: dict[str, set[int]] = {}
    followed: dict[str, set[int]] = defaultdict(set)
    for place, step in enumerate(steps):
        epoch = step.before.epoch
        for field in step.secrets if epoch else ():
            if may_read(game, steps[place:], field, viewer):
                known[epoch] |= _places(ours, epoch, faces_in(step.sealed(field)))
        for event, state in zip(step.events, step.after, strict=True):
            match event:
                case DeckOpened():
                    known[event.epoch] = set()
                case DeckRevealed() | DeckUnused():
                    known[event.epoch] = set(range(len(PACK)))
                case CardsDealt() | CardsShown() | FaceShown():
                    known[event.epoch] |= {position for to, position in newly_visible(event) if to in {0, viewer}}
                case _:
                    pass
            if state.epoch:
                known[state.epoch] |= _places(ours, state.epoch, facts.faces_named(event))
                followed[state.epoch] |= facts.followed_from(event, state)
    return Knowledge(known, followed)


def newly_visible(event: Event) -> Iterator[tuple[int, int]]:
    """Yield pairs of a seat (0: everybody) and a position whose card this seat may see because of *event*."""
    match event:
        case CardsDealt():
            yield from ((to, position) for position, to in event.cards if isinstance(to, int))
        case CardsShown():
            yield from ((0, card.pos) for card in event.cards)
        case FaceShown():
            yield 0, event.pos
        case _:
            pass


def may_read(game: Game, steps: Sequence[Step], field: str, viewer: int) -> bool:
    """Return whether, after *steps*, the rulings let *viewer* read the *field* that the first step sealed."""
    return sealed_field(game.name, field).may_be_read(steps, viewer)


def chosen(game: Game, step: Step, ours: ShuffledDecks) -> Command:
    """Return the command of *step*; if time was called, the command that the service chose."""
    if not isinstance(step.command, CallTime) or seed_rules.waits(step.before):
        return step.command  # When the game waits for seeds, the service decides nothing about cards.
    ours.envelopes = step.had
    command: Command = game.default(step.before, FullViewpoint(step.before, ours))
    return command


def sealed_by(
    game: Game, state: TableState, command: Command, known: ShuffledDecks, decision: Event
) -> Mapping[str, Secret] | None:
    """Return the values that *command* seals; None: the command is illegal, or does not make this *decision*."""
    move = game.moves.of(command)
    try:
        other = move.decide(state, command, FullViewpoint(state, known))
    except Refusal:
        return None
    fields = [name for name in other.__struct_fields__ if name != "called"]
    if type(other) is not type(decision) or any(getattr(other, name) != getattr(decision, name) for name in fields):
        return None
    return move.seals(state, command)


def faces_in(value: object) -> Iterator[Face]:
    """Yield the faces in *value*, which may be any JSON."""
    match value:
        case str() if value in PACK:
            yield value
        case dict():
            yield from faces_in(list(value.values()))
        case list():
            for inner in value:
                yield from faces_in(inner)
        case _:
            pass


def with_names(value: Any, names: Renaming) -> Any:  # noqa: ANN401 -- the value may be any JSON
    """Return *value* with new *names* for its faces."""
    match value:
        case str():
            return names.get(value, value)
        case dict():
            return {name: with_names(inner, names) for name, inner in value.items()}
        case list():
            return [with_names(inner, names) for inner in value]
        case _:
            return value


def _renaming(game: Game, order: Sequence[Face], known: set[int], followed: set[int], chance: Random) -> Renaming:
    """Return new names for the hidden faces of a deck; a face that may change places with no other keeps its name."""
    keeps = facts_of(game.name).keeps
    hidden = [position for position in range(len(order)) if position not in known]
    kept = {keeps(order[position]) for position in hidden if position in followed}
    groups: dict[str, list[Face]] = defaultdict(list)
    for position in hidden:
        group = keeps(order[position])
        groups[group if group in kept else ""].append(order[position])
    names: dict[Face, Face] = {}
    for faces in groups.values():
        shuffled = chance.sample(faces, len(faces))
        names |= dict(zip(shuffled, (*shuffled[1:], *shuffled[:1]), strict=True))
    return {face: name for face, name in names.items() if name != face}


def _nearly(chance: Random, command: Command, action: Action) -> Command:
    """Return *command* with one card in one of its lists replaced by another card that *action* lists.

    If *action* has no list, return the command of *action* with random values.
    """
    lists = [choice for choice in action.choices if choice.count]
    if not lists:
        return filled(chance, action)
    choice = chance.choice(lists)
    cards = list(getattr(command, choice.member))
    rest = [face for face in choice.among if face not in cards]
    if rest:
        cards[chance.randrange(len(cards))] = chance.choice(rest)
    return replace(command, **{choice.member: tuple(cards)})


def _places(ours: ShuffledDecks, epoch: str, faces: Iterable[Face]) -> set[int]:
    order = ours.deck(epoch).order
    return {order.index(face) for face in faces}


def _json(secret: Secret) -> Any:  # noqa: ANN401 -- the value may be any JSON
    return msgspec.json.decode(msgspec.json.encode(secret.value))
