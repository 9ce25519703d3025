"""How every game decides: first accept or refuse a command, then add the consequences (DECISIONS 47 and 49)."""

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
    """The rules of a game as four functions; `accept` and `decide` call the same checks, so that they always agree."""

    decision: Callable[[Any, Any, Viewpoint], Event]
    """Returns the decision that a command makes, or raises its refusal.

    The function checks the command from the public state and the caller's viewpoint: it never reads a hidden card.
    """
    follow: Callable[[Emitter[Any], Any, Known], None]
    """Adds the consequences of a command whose decision has been made."""
    time_must_be_callable: Callable[[Any], None]
    """Raises the refusal of a call for time when no decision is due (G.3)."""
    default: Callable[[Any, Viewpoint], Command]
    """Returns the service's choice for the first seat whose decision is due, once time is called (G.3)."""
    evolve: Evolve

    def accept(self, state: Any, command: Any, viewpoint: Viewpoint) -> None:  # noqa: ANN401 -- a state is its game's own
        """Check a *command* exactly as `decide` does, from the *viewpoint* of its caller.

        `accept` computes no consequence, and uses no hidden face, seed or sealed value. So neither its answer nor its
        response time leaks a hidden value.

        Raises:
            Refusal: the rules do not allow the command.
        """
        if isinstance(command, CallTime):
            self._accept_call(state, command)
        else:
            self.decision(state, command, viewpoint)

    def decide(self, state: Any, command: Any, known: Known, evolve: Evolve | None = None) -> tuple[Event, ...]:  # noqa: ANN401
        """Return the decision that *command* makes, and its consequences; *evolve* applies each event to the state.

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
