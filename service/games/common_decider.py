"""The steps by which every game decides: check the command, then add its consequences (DECISIONS 47 and 49)."""

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
    """The rules of a game, as functions; `accept` and `decide` refuse the same commands by calling the same checks."""

    decision: Callable[[Any, Any, Viewpoint], Event]
    """Returns the decision that a command makes, or raises the refusal of the command.

    The function uses only the public state and, from the viewpoint, cards and sealed values that the caller may see.
    """
    follow: Callable[[Emitter[Any], Any, Known], None]
    """Adds the consequences of a command; the emitter already has the command's decision."""
    time_must_be_callable: Callable[[Any], None]
    """Raises a refusal if nobody may call time now (G.3)."""
    default: Callable[[Any, Viewpoint], Command]
    """Returns, when time is called, the service's command for the first seat whose decision is due (G.3)."""
    evolve: Evolve

    def accept(self, state: Any, command: Any, viewpoint: Viewpoint) -> None:  # noqa: ANN401 -- each game has its own class for states
        """Check a *command* exactly as `decide` does, from the *viewpoint* of its caller.

        `accept` computes no consequences, and uses no face, seed or sealed value that is hidden from the caller. So
        neither the result nor the running time of `accept` leaks a hidden value.

        Raises:
            Refusal: the rules do not allow the command.
        """
        if isinstance(command, CallTime):
            self._accept_call(state, command)
        else:
            self.decision(state, command, viewpoint)

    def decide(self, state: Any, command: Any, known: Known, evolve: Evolve | None = None) -> tuple[Event, ...]:  # noqa: ANN401
        """Return the decision that *command* makes, followed by the consequences.

        *evolve* (default: the game's own) applies each of these events to the state.

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
