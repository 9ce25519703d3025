"""How every game decides: first whether a command is accepted, and only then what follows from it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from service.games import seating
from service.games.common_commands import CallTime
from service.games.decks import Emitter
from service.games.full_viewpoint import FullViewpoint
from service.games.game import Command, Event, Evolve, Known, Viewpoint


class Decider(Struct, frozen=True, kw_only=True):
    """The rules of a game in four parts; `accept` and `decide` put them together, so that the two cannot disagree."""

    decision: Callable[[Any, Any, Viewpoint], Event]
    """Returns the decision that a command makes, or raises why it is refused.

    Checks use the public state and what the caller sees: its own cards, never a hidden one.
    """
    follow: Callable[[Emitter[Any], Any, Known], None]
    """Adds the consequences of a command whose decision has been made."""
    time_must_be_callable: Callable[[Any], None]
    """Raises why nothing could be decided by calling time (G.3)."""
    default: Callable[[Any, Viewpoint], Command]
    """Returns the command that the service chooses for the first seat that is due, once time is called (G.3)."""
    evolve: Evolve

    def accept(self, state: Any, command: Any, viewpoint: Viewpoint) -> None:  # noqa: ANN401 -- a state is its game's own
        """Pass a *command* that `decide` would accept; *viewpoint* is what its caller sees.

        No consequence is computed, and no hidden face, seed or sealed value is used: neither the answer nor the time
        that it takes tells anything of them.

        Raises:
            Refusal: the rules do not allow the command.
        """
        if isinstance(command, CallTime):
            self._accept_call(state, command)
        else:
            self.decision(state, command, viewpoint)

    def decide(self, state: Any, command: Any, known: Known, evolve: Evolve | None = None) -> tuple[Event, ...]:  # noqa: ANN401
        """Return the decision that *command* makes, and all that follows from it at once; *evolve* folds each event.

        Raises:
            Refusal: the rules do not allow the command.
        """
        viewpoint = FullViewpoint(state, known)
        if isinstance(command, CallTime):
            self._accept_call(state, command)
            chosen = self.default(state, viewpoint)
            decision = replace(self.decision(state, chosen, viewpoint), called=seating.caller_of(command))
        else:
            chosen, decision = command, self.decision(state, command, viewpoint)
        emitter = Emitter(state, evolve or self.evolve)
        emitter.emit(decision)
        self.follow(emitter, chosen, known)
        return tuple(emitter.events)

    def _accept_call(self, state: Any, command: CallTime) -> None:  # noqa: ANN401
        seating.call_time(command)
        self.time_must_be_callable(state)
