"""The definition of a game: all that the rest of the service uses of the game (DECISIONS 47, 49 and 93)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from service.games import common_refusals, seating
from service.games.common_commands import COMMON, CallTime
from service.games.common_refusals import Precedence
from service.games.decks import Emitter
from service.games.full_viewpoint import FullViewpoint, SealingKnown
from service.games.game import (
    HOST,
    Action,
    Command,
    Event,
    Known,
    Refusal,
    SealedFields,
    SeatRange,
    Secret,
    Sheet,
    SomeType,
    Viewpoint,
    acting_seat,
    seat_actor,
    type_name,
)
from service.games.move import NOTHING_SEALED, Moves, SomeMove, nothing_follows
from service.games.payouts import Payout
from service.games.sample_tables import SampleTables
from service.games.seeds import seed_rules
from service.games.table_state import TableState, Transitions
from service.ledger import NO_ENTRIES, Entries, book

S = TypeVar("S", bound=TableState)


class Credit(Struct, frozen=True, kw_only=True):
    """The title, author and year of a game, and the SHA-256 of the rule sheet that this service follows."""

    title: str
    author: str
    year: int
    sheet_sha256: str


class Explain(Protocol):
    """Gives the reason for each transfer of an event."""

    def __call__(self, event: Event, before: Sequence[Event] = (), /) -> tuple[Payout, ...]:
        """Return the payouts of *event*; *before* has the earlier events of the same hand."""
        ...


class Decided(Struct, Generic[S], frozen=True, gc=False):
    """A decided command: its *events*, the decision first, and the values that it seals.

    *folded* has, for each event, the state after the event and the entries of the event's transfers.
    """

    events: tuple[Event, ...]
    folded: tuple[tuple[S, Entries], ...]
    secrets: Mapping[str, Secret]

    @property
    def states(self) -> tuple[S, ...]:
        """The state after each event."""
        return tuple(state for state, _ in self.folded)


class Accepted(Struct, frozen=True):
    """A command that the rules accept: its *decision*, and the values that the decision seals.

    *decision* is None if the command calls time: the service chooses the decision when the command is carried out.
    """

    decision: Event | None
    secrets: Mapping[str, Secret]


class Definition(Struct, Generic[S], frozen=True):
    """One edition of a game. All functions of a game are pure."""

    name: str
    edition: int
    sheet: Sheet
    summary: str
    seats: SeatRange
    options: type[Struct]
    sample_tables: SampleTables
    rulings: Mapping[str, str]
    refusals: Precedence
    """The conditions of each command, the common ones included, in order of precedence."""
    state_type: type[S]
    moves: Moves[S]
    """All commands, the common ones included, each with the rules that decide it."""
    time_must_be_callable: Callable[[S], None]
    """Raises a refusal if nobody may call time now (G.3)."""
    default: Callable[[S, Viewpoint], Command]
    """Returns, when time is called, the service's command for the first seat whose decision is due (G.3)."""
    transitions: Transitions[S]
    """The transition of each type of event; no other event belongs to the game."""
    sealed_types: tuple[object, ...]
    """The types of the values of sealed fields."""
    due_seats: Callable[[S], tuple[int, ...]]
    """Returns the seats whose decisions are due; their players may make these decisions in any order."""
    own_actions: Callable[[S, str, Viewpoint], tuple[Action, ...]]
    """Lists the actions that an actor may take now by the game's own rules; see `actions`."""
    visible: Callable[[S, int, bool], frozenset[int]]
    """Returns the allow-list: the positions of the deck in play whose faces a seat (0: everybody) may see.

    The flag is true for the present table, and false for a view of the past.
    """
    view: Callable[[S, Viewpoint], Struct]
    """Returns the game's own part of the view of a table; the viewpoint hides every face outside the allow-list."""
    view_type: type[Struct]
    explain: Explain
    """Returns the payouts of an event, each with its reason."""
    resume: Callable[[Emitter[S], Known], None] = nothing_follows
    """Continues a game that waited for a deck, for example with the draw for the dealer (G.9)."""

    @property
    def credit(self) -> Credit:
        """The credit of the game's author (G.8)."""
        sheet = self.sheet
        return Credit(title=sheet.title, author=sheet.author, year=sheet.year, sheet_sha256=sheet.sha256)

    @property
    def commands(self) -> tuple[type[Command], ...]:
        """The game's own commands, without the common ones."""
        return tuple(command for command in self.moves.commands if command not in COMMON)

    @property
    def events(self) -> tuple[type[Event], ...]:
        """The types of the game's events, the common ones included."""
        return tuple(self.transitions)

    def new(self, table: str) -> S:
        """Return the state before the first event, for the table with the id *table*."""
        return self.state_type(table=table)

    def due(self, state: S) -> tuple[str, ...]:
        """Return the actors whose decisions are due: before the start the host, later "seat:<n>" for each due seat.

        While the game waits for players' seeds, the seats whose commitments or seeds are missing are due (G.9).
        """
        if state.status == "open":
            return (HOST,)
        return tuple(
            map(seat_actor, seed_rules.owed(state).seats if seed_rules.waits(state) else self.due_seats(state))
        )

    def actions(self, state: S, by: str, viewpoint: Viewpoint) -> tuple[Action, ...]:
        """List the actions that the actor *by* may take now, computed from the actor's *viewpoint*."""
        own = self.own_actions(state, by, viewpoint)
        return seed_rules.actions(state, by, own) if state.seeds == "players" else own

    def evolve(self, state: S, event: Event) -> S:
        """Return the state after *event*, which follows *state*; this function checks no rules."""
        return self.step(state, event)[0]

    def step(self, state: S, event: Event) -> tuple[S, Entries]:
        """Book the transfers of *event*, then apply the transition of its type; this function checks no rules.

        Return the state after *event*, and the entries of its transfers.
        """
        entries = NO_ENTRIES
        if event.transfers:
            balances, entries = book(state.balances, event.transfers)
            state = replace(state, balances=balances)
        return self.transitions[type(event)](state, event), entries

    def must_have(self, command: Command) -> None:
        """Check that *command* belongs to the game, before its rules see it.

        Raises:
            Refusal: the command belongs to another game.
        """
        if type(command) is not CallTime and type(command) not in self.moves.commands:
            raise Refusal(
                common_refusals.ACTION_MUST_BELONG_TO_THE_GAME,
                f"This table plays {self.sheet.title}; {type_name(type(command))} belongs to another game.",
            )

    def accept(self, state: S, command: Command, viewpoint: Viewpoint) -> Accepted:
        """Check a *command* exactly as `decide` does, from the *viewpoint* of its caller, for dry runs.

        `accept` computes no consequences, and uses no face, seed or sealed value that is hidden from the caller. So
        neither the result nor the running time of `accept` leaks a hidden value.

        Raises:
            Refusal: the rules do not allow the command.
            TypeError: the game has no such command.
        """
        if isinstance(command, CallTime):
            self._accept_call(state, command)
            return Accepted(None, {})
        seed_rules.must_have_deck(state, command)
        move = self.moves.of(command)
        return Accepted(move.decide(state, command, viewpoint), move.seals(state, command))

    def decide(
        self,
        state: S,
        command: Command,
        known: Known,
        step: Callable[[S, Event], tuple[S, Entries]] | None = None,
    ) -> Decided[S]:
        """Decide *command*: return its decision, the consequences, and what the decision seals.

        *step* (default: the game's own) applies each event of the command to the state. A caller that already has the
        states and entries may pass a function that returns them.

        Raises:
            Refusal: the rules do not allow the command.
            TypeError: the game has no such command, or its move returns a decision of the wrong type.
        """
        if isinstance(command, CallTime):
            self._accept_call(state, command)
            if seed_rules.waits(state):
                return self._decided(Emitter(state, step or self.step), seed_rules.when_called(state, command), known)
        viewpoint, chosen = FullViewpoint(state, known), command
        if isinstance(command, CallTime):
            chosen = self.default(state, viewpoint)
        seed_rules.must_have_deck(state, chosen)
        move = self.moves.of(chosen)
        decision = move.decide(state, chosen, viewpoint)
        if isinstance(command, CallTime):
            decision = replace(decision, called=seating.caller_of(command))
        if type(decision) is not move.decision:
            raise TypeError(f"{move.command.__name__} makes {move.decision.__name__}, not {type(decision).__name__}.")
        return self._decided(Emitter(state, step or self.step), decision, known, move, chosen)

    def _decided(
        self,
        emitter: Emitter[S],
        decision: Event,
        known: Known,
        move: SomeMove[S] | None = None,
        chosen: Command | None = None,
    ) -> Decided[S]:
        """Return *decision* with its consequences by *move*, if *move* is given, and by the rules of players' seeds."""
        state, secrets = emitter.state, NOTHING_SEALED
        emitter.emit(decision)
        if move and chosen:
            secrets = move.seals(state, chosen)
            move.follow(emitter, SealingKnown(known, acting_seat(chosen.by), secrets) if secrets else known)
        if state.seeds == "players":
            seed_rules.follow(emitter, known, self.resume)
        return Decided(tuple(emitter.events), tuple(emitter.folded), secrets)

    def command_of(self, decision: Event, by: str, sealed: SealedFields) -> Command:
        """Return the command of the actor *by* that led to *decision*; *sealed* returns the decision's sealed values.

        Raises:
            TypeError: no command of the game makes such a decision.
        """
        if seating.is_called(decision, by):
            return seating.call_time_command(decision)
        return self.moves.command_of(decision, by, sealed)

    def _accept_call(self, state: S, command: CallTime) -> None:
        seating.call_time(command)
        if not seed_rules.waits(state):
            self.time_must_be_callable(state)


Game: TypeAlias = Definition[SomeType]
"""A game whose class of states does not matter to the caller."""
