"""The facts that the general tests need about a game: each game has its `FACTS` in tests/games/<game>/facts.py."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import Any

from msgspec import Struct

from service.cards import Face
from service.games import CURRENT
from service.games.common_commands import OptionValue
from service.games.game import Command, Event
from service.games.sample_tables import buy_in
from service.games.table_state import TableState
from tests.games.steps import Opening, Step


def _usual(_command: Command) -> float:
    return 1


def _nobody(_chance: Random, _state: TableState) -> Command | None:
    return None


def _nothing(_event: Event, _state: TableState) -> set[int]:
    return set()


def _no_faces(_event: Event) -> tuple[Face, ...]:
    return ()


def _itself(face: Face) -> str:
    return face


def _anything(_steps: Sequence[Step], _value: Any, _other: Any, _hidden: set[Face]) -> bool:  # noqa: ANN401 -- JSON
    return True


def _as_before(_event: Event) -> set[int] | None:
    return None


def _no_members(_state: TableState) -> tuple[str, ...]:
    return ()


class SealedField(Struct, frozen=True, kw_only=True):
    """The facts of a sealed field of a game."""

    may_be_read: Callable[[Sequence[Step], int], bool]
    """Returns whether the rulings let a seat (0: everybody) read the field after these steps; the first step sealed it.

    The game's `Secret` says the same; with this second implementation the tests find a field that is opened too early.
    """
    may_be: Callable[[Sequence[Step], Any, Any, set[Face]], bool] = _anything
    """Returns whether the same public events could have followed if the first step had sealed another value.

    The arguments are the steps, the value, the other value, and the faces that are hidden from the viewer. By default,
    any value of a legal command is possible.
    """


class WorldGame(Struct, frozen=True, kw_only=True):
    """The parameters of a random game that is played over HTTP in two worlds.

    *resigns_after*: after this number of moves, a player resigns as soon as the rules allow it. *calls*: by the name of
    a member, how many actions may set the member to true. *has_guest*: whether the host invites a guest who never takes
    a seat. *signs*: whether every player signs, and adds a seed.
    """

    seed: int
    seats: int
    moves: int
    options: Mapping[str, Any]
    visibility: str = "public"
    resigns_after: int = 1_000_000
    calls: Mapping[str, int] = {}
    has_guest: bool = False
    signs: bool = False


class Facts(Struct, frozen=True, kw_only=True):
    """The facts of a game; a fact without a default must be written for each game."""

    opening: Callable[[Random], Opening]
    """Returns the terms of a random table whose game ends after a few hands."""
    rulings: Mapping[str, range]
    """The numbers of the game's rulings, by the part of their names before the dot."""
    simulated: Mapping[str, OptionValue]
    """The options of the game's table in the fault simulator."""
    worlds: Mapping[str, WorldGame]
    """The games that the tests of two worlds play over HTTP, by the subject of each game."""
    short: Mapping[str, Any]
    """Options with which a game of bots is soon over."""
    worlds_to_the_end: tuple[WorldGame, ...] = ()
    """The private games that the tests of two worlds play to the end."""
    avoided: tuple[str, ...] = ()
    """The types of action that the games of two worlds never draw at random, because they change or end the game."""
    illegal: tuple[Mapping[str, Any], ...] = ({"type": "start_game"},)
    """Actions that are illegal at any time after the start."""
    tried: tuple[Mapping[str, Any], ...] = ()
    """Actions that the tests of two worlds try, besides the example of each action."""
    example: Mapping[str, Any] = {}
    """The options and the seats of the table in the examples of the API's answers, as a client opens the table."""
    every_command: Opening | None = None
    """The terms of a table where each command of the game is soon possible; None: the terms of `SampleTables.bench`."""
    of_no_concern: Mapping[str, str] = {}
    """The rulings for all games that no test of this game cites, each with the reason."""
    weight: Callable[[Command], float] = _usual
    """Returns the weight of one of the game's own commands in random play; the default is 1."""
    arrival: Callable[[Random, TableState], Command | None] = _nobody
    """Returns, sometimes, a command by which a new player comes to a table in mid-game."""
    followed_from: Callable[[Event, TableState], set[int]] = _nothing
    """Returns the positions of hidden cards about which an event discloses a fact."""
    keeps: Callable[[Face], str] = _itself
    """Returns the fact that an event may disclose about a face; another world may swap two faces with the same fact."""
    faces_named: Callable[[Event], tuple[Face, ...]] = _no_faces
    """Returns the faces of the deck in play that one of the game's own events makes public without their positions."""
    sealed: Mapping[str, SealedField] = {}
    """The facts of each sealed field, by name."""
    cards_shown_now: Callable[[Event], set[int] | None] = _as_before
    """Returns the positions that views of the present show from this event on, and views of the past don't; None: no
    change."""
    members_shown_now: Callable[[TableState], tuple[str, ...]] = _no_members
    """Returns the members of a view of the present with a card that a view of the past does not show."""


def usual_opening(game: str) -> Opening:
    """Return the terms of a table for a long game of *game* in which each command is soon possible."""
    played, options = CURRENT[game], CURRENT[game].sample_tables.bench
    return facts_of(game).every_command or Opening(played.seats.default, buy_in(options), options)


def buy_in_of(game: str, options: Mapping[str, Any]) -> int:
    """Return the chips that each player buys at a table of *game* with *options*; 0: the game has no chips."""
    return int(options.get("buy_in", getattr(CURRENT[game].options(), "buy_in", 0)))


def facts_of(game: str) -> Facts:
    """Return the facts of *game*."""
    name = f"tests.games.{game}.facts"
    try:
        found = import_module(name).FACTS
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise LookupError(
            f"Write tests/games/{game}/facts.py: `FACTS = Facts(...)` with the members of `Facts` in "
            f"tests/games/facts.py, at least {', '.join(required())}."
        ) from error
    assert isinstance(found, Facts)
    return found


def sealed_field(game: str, field: str) -> SealedField:
    """Return the facts of the sealed *field* of *game*."""
    found = facts_of(game).sealed.get(field)
    if found is None:
        raise LookupError(
            f'{game} seals "{field}": write `sealed={{"{field}": SealedField(may_be_read=...)}}` in '
            f"tests/games/{game}/facts.py, with the members of `SealedField` in tests/games/facts.py."
        )
    return found


def required() -> tuple[str, ...]:
    """Return the names of the facts that every game must have."""
    return Facts.__struct_fields__[: len(Facts.__struct_fields__) - len(Facts.__struct_defaults__)]
