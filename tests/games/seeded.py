"""A table with players' seeds, of any game."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from msgspec.structs import replace

from service.games.common_commands import CommitSeed, OpenTable, RevealSeed, StartGame, TakeSeat
from service.games.definition import Game
from service.games.full_viewpoint import EmptyViewpoint
from service.games.game import HOST, PLAYER, Command, Event, Known, Refusal, seat_actor
from service.games.seeds import seed_rules
from tests.games.actors import OWNER_OF_THE_TABLE, owner
from tests.games.facts import buy_in_of, usual_opening
from tests.games.players_seeds import with_seed
from tests.games.stacked import TABLE, StackedDecks


class SeededTable:
    """A table of *game* with players' seeds, and the events of its last commands."""

    def __init__(self, game: Game, known: Known | None = None, table: str = TABLE) -> None:
        self.game = game
        self.known: Known = known or StackedDecks()
        self.state: Any = game.new(table)
        self.events: list[Event] = []

    def started(self, players: int = 0, options: Mapping[str, Any] | None = None) -> Self:
        """Open the table, seat *players* (0: the usual number), and start the game; keep the events of the start."""
        usual = usual_opening(self.game.name)
        players, options = players or self.game.seats.default, usual.options if options is None else options
        self.do(
            OpenTable(
                by=HOST,
                host=OWNER_OF_THE_TABLE,
                game=self.game.name,
                edition=self.game.edition,
                sheet=self.game.sheet.sha256,
                options=options,
                seats=max(players, self.game.seats.least),
                visibility="public",
                seeds="players",
            )
        )
        chips = buy_in_of(self.game.name, options)
        for seat in range(1, players + 1):
            self.do(TakeSeat(by=PLAYER, player=owner(seat), chips=chips, seat=seat))
        self.do(StartGame(by=HOST))
        return self

    def do(self, *commands: Command) -> list[Event]:
        """Make *commands*, and return their events."""
        self.events = []
        for command in commands:
            decided = self.game.decide(self.state, command, self.known)
            self.state = decided.states[-1]
            self.events += decided.events
        return self.events

    def refusal(self, command: Command) -> tuple[str, str]:
        """Return the code and the ruling of the refusal of *command*; both are "" if the command is accepted."""
        try:
            self.game.decide(self.state, command, self.known)
        except Refusal as refusal:
            return refusal.code, refusal.ruling
        return "", ""

    @property
    def batch(self) -> str:
        """The name of the batch whose seeds are collected."""
        return seed_rules.owed(self.state).epoch

    def commitment(self, seat: int) -> Command:
        """Return the command by which *seat* commits to its seed."""
        return with_seed(CommitSeed(by=seat_actor(seat), epoch=self.batch, client_commit=""))

    def seed(self, seat: int) -> Command:
        """Return the command by which *seat* shows its seed."""
        return with_seed(RevealSeed(by=seat_actor(seat), epoch=self.batch, client_seed=""))

    def all_commit(self, seats: Iterable[int] = ()) -> list[Event]:
        """Let *seats* commit (default: all that owe a commitment)."""
        return self.do(*(self.commitment(seat) for seat in seats or seed_rules.owed(self.state).seats))

    def all_show(self, seats: Iterable[int] = ()) -> list[Event]:
        """Let *seats* show their seeds (default: all that owe a seed)."""
        return self.do(*(self.seed(seat) for seat in seats or seed_rules.owed(self.state).seats))

    def listed(self, by: str) -> list[Command]:
        """Return the commands of the actions of the actor *by*, with "" for each commitment and each seed."""
        actions = self.game.actions(self.state, by, EmptyViewpoint())
        return [_bare(action.command) for action in actions]


def _bare(command: Command) -> Command:
    if isinstance(command, CommitSeed):
        return replace(command, client_commit="")
    return replace(command, client_seed="") if isinstance(command, RevealSeed) else command
