"""Moves: the commands of a game, each with the rules that decide it (DECISIONS 47 and 93)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct, structs, to_builtins

from service.games.decks import Emitter
from service.games.game import Command, Event, Known, SealedFields, Secret, SomeType, Viewpoint, type_name
from service.games.table_state import TableState

S = TypeVar("S", bound=TableState)
C = TypeVar("C", bound=Command)
D = TypeVar("D", bound=Event)

NOTHING_SEALED: Mapping[str, Secret] = {}


def nothing_follows(_emitter: object, _known: object) -> None:
    """Add no consequence, for a command whose decision is all that happens."""


def nothing_sealed(_state: object, _command: object) -> Mapping[str, Secret]:
    """Return no sealed fields, for a command whose members are all public."""
    return NOTHING_SEALED


def public(decide: Callable[[S, C], D]) -> Callable[[S, C, Viewpoint], D]:
    """Return a function that also takes a viewpoint, ignores it, and calls *decide*, which uses only public facts."""
    return lambda state, command, _viewpoint: decide(state, command)


class Move(Struct, Generic[S, C, D], frozen=True, kw_only=True):
    """A *command* of a game, and the rules that decide it.

    If *command_of* is None, each member of the command except `by` has the value of the decision's member of the same
    name.
    """

    command: type[C]
    decision: type[D]
    """The type of the decision that the command makes; two commands may make decisions of one type."""
    decide: Callable[[S, C, Viewpoint], D]
    """Returns the decision, or raises the refusal of the command.

    The function uses only the public state and, from the viewpoint, cards and sealed values that the caller may see.
    """
    follow: Callable[[Emitter[S], Known], None] = nothing_follows
    """Adds the consequences of the decision to the emitter, which already has the decision."""
    seals: Callable[[S, C], Mapping[str, Secret]] = nothing_sealed
    """Returns, by field, the values that the accepted command seals; the state is the state before the command."""
    command_of: Callable[[D, str, SealedFields], C] | None = None
    """Returns the command that led to a decision, from the decision, its actor and its sealed fields."""


SomeMove: TypeAlias = Move[S, SomeType, SomeType]
"""A row of the table of a game's moves."""


class Moves(Generic[S]):
    """The moves of a game, by command."""

    def __init__(self, *moves: SomeMove[S]) -> None:
        """Take all moves of the game, including the common moves.

        Raises:
            TypeError: two moves have the same command; or two moves make decisions of one type, but do not share one
                function as `command_of`; or a command cannot be found from its decision.
        """
        self._by_command: dict[type[Command], SomeMove[S]] = {}
        self._by_decision: dict[type[Event], SomeMove[S]] = {}
        for move in moves:
            if move.command in self._by_command:
                raise TypeError(f"Two moves have the command {move.command.__name__}.")
            self._by_command[move.command] = move
            _command_must_be_found(move)
            other = self._by_decision.setdefault(move.decision, move)
            if other is not move and (move.command_of is None or move.command_of is not other.command_of):
                raise TypeError(f"{move.command.__name__} and {other.command.__name__} need the same `command_of`.")

    def __iter__(self) -> Iterator[SomeMove[S]]:
        return iter(self._by_command.values())

    @property
    def commands(self) -> tuple[type[Command], ...]:
        """The commands of all moves."""
        return tuple(self._by_command)

    def of(self, command: Command) -> SomeMove[S]:
        """Return the move of *command*.

        Raises:
            TypeError: the game has no such command.
        """
        move = self._by_command.get(type(command))
        if move is None:
            raise TypeError(f"{type(command).__name__} is not a command of this game.")
        return move

    def command_of(self, decision: Event, by: str, sealed: SealedFields) -> Command:
        """Return the command of the actor *by* that led to *decision*; *sealed* returns the decision's sealed values.

        Raises:
            TypeError: no command of the game makes such a decision.
        """
        move = self._by_decision.get(type(decision))
        if move is None:
            raise TypeError(f"{type(decision).__name__} is not a decision of this game.")
        command: Command
        if move.command_of:
            command = move.command_of(decision, by, sealed)
        else:
            members = {name: getattr(decision, name) for name in move.command.__struct_fields__ if name != "by"}
            command = move.command(by=by, **members)
        return command

    def signed_action(self, decision: Event, by: str, choices: Mapping[str, str]) -> dict[str, Any]:
        """Return the action that the actor *by* signs for *decision*; anybody can compute it from the decision's leaf.

        The action is what the client posted, without the members that have their default values. If the decision seals
        fields, the type and the members of the action may be secret. For such an action the player signs the type of
        its decision and, instead of its members, the hash of each sealed field (*choices*).

        Raises:
            TypeError: no command of the game makes such a decision.
        """
        move = self._by_decision.get(type(decision))
        if move is not None and move.seals is not nothing_sealed:
            return {"type": type_name(type(decision)), **choices}
        command = self.command_of(decision, by, lambda _field: None)
        info = zip(structs.fields(command), structs.astuple(command), strict=True)
        members = {
            field.encode_name: to_builtins(value)
            for field, value in info
            if field.name not in command.FROM_CALLER and value != field.default
        }
        return {"type": type_name(type(command)), **members}


def _command_must_be_found(move: Move[S, C, D]) -> None:
    """Check that the command of *move* can be found from its decision.

    A move with `command_of` passes. Any other move must seal no value, and its decision must have each member of the
    command except `by`.

    Raises:
        TypeError: the command cannot be found.
    """
    name = move.command.__name__
    if move.command_of is None and move.seals is not nothing_sealed:
        raise TypeError(f"{name} seals values, so its move needs `command_of`.")
    missing = {*move.command.__struct_fields__} - {"by", *move.decision.__struct_fields__}
    if move.command_of is None and missing:
        raise TypeError(f"{move.decision.__name__} lacks {sorted(missing)} of {name}, so its move needs `command_of`.")
