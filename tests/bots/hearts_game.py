"""Games of Insurance Hearts between bots, without a server: each bot sees only what its seat may see."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from service.cards import UNKNOWN, Face
from service.client.bot import Bot
from service.client.table_answers import Bound, Choice, Move, Table
from service.games.common_commands import DealHand, OpenTable, StartGame, TakeSeat
from service.games.game import HOST, PLAYER, Action, Command, Event, Secret, acting_seat, seat_actor, type_name
from service.games.insurance_hearts import INSURANCE_HEARTS as GAME
from service.games.insurance_hearts.events import HandScored
from service.games.insurance_hearts.state import State
from tests.games.random_play import TABLE
from tests.games.steps import ShuffledDecks

SEATS = 4
KINDS: tuple[type[Command], ...] = (DealHand, *GAME.commands)
COMMANDS: Mapping[str, type[Command]] = {type_name(kind): kind for kind in KINDS}


class Sealed:
    """The sealed values of the players, and the seats that may read each value now."""

    def __init__(self) -> None:
        self._secrets: dict[tuple[int, str], tuple[Secret, set[int]]] = {}

    def keep(self, seat: int, secrets: Mapping[str, Secret]) -> None:
        for field, secret in secrets.items():
            self._secrets[seat, field] = secret, set(secret.to)

    def follow(self, event: Event) -> None:
        for secret, readers in self._secrets.values():
            readers.update(secret.shown.get(type(event), ()))
            if isinstance(event, secret.open):
                readers.update(range(SEATS + 1))

    def value(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self._secrets[seat, field][0].value

    def read_by(self, reader: int, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        secret, readers = self._secrets.get((seat, field), (None, set()))
        return secret.value if secret and reader in readers else None


class Facts(ShuffledDecks):
    """The facts that the rules need: decks shuffled from a seed, and sealed values."""

    def __init__(self, seed: int, sealed: Sealed) -> None:
        super().__init__(seed)
        self._sealed = sealed

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self._sealed.value(seat, field)


class SeenBy:
    """The cards and sealed values that one seat may see."""

    def __init__(self, state: State, seat: int, facts: Facts, sealed: Sealed) -> None:
        self._seat, self._facts, self._sealed, self._epoch = seat, facts, sealed, state.epoch
        self._visible = GAME.visible(state, seat, True)

    def face(self, position: int) -> Face:
        return self._facts.deck(self._epoch).order[position] if position in self._visible else UNKNOWN

    def faces(self, positions: Sequence[int]) -> tuple[Face, ...]:
        return tuple(map(self.face, positions))

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self._sealed.read_by(self._seat, seat, field)


class HeartsGame:
    """A game of *bots*, one for each seat, with decks from *seed*; `state` and `events` have the game so far."""

    def __init__(self, bots: Sequence[Bot], seed: int, **options: Any) -> None:  # noqa: ANN401 -- the value may be any JSON
        self.events: list[Event] = []
        self.state: State = GAME.new(TABLE)
        self._sealed = Sealed()
        self._facts = Facts(seed, self._sealed)
        self._bots = bots
        for command in _opening(options):
            self._make(command)

    def play(self) -> "HeartsGame":
        while self.state.status == "playing":
            self.step()
        return self

    def step(self) -> None:
        """Let the first bot whose decision is due decide."""
        seat = acting_seat(GAME.due(self.state)[0])
        seen = SeenBy(self.state, seat, self._facts, self._sealed)
        moves = [_move(action) for action in GAME.actions(self.state, seat_actor(seat), seen)]
        action = {**self._bots[seat - 1].choose(moves, _table(self.state, seat, seen))}
        kind = COMMANDS[action.pop("type")]
        self._make(msgspec.convert({**action, "by": seat_actor(seat)}, kind))

    @property
    def scores(self) -> dict[int, int]:
        """The points of each seat."""
        return {seat: self.state.balances.get(f"score:{seat}", 0) for seat in self.state.players}

    @property
    def hands(self) -> list[HandScored]:
        """The scores of the played hands."""
        return [event for event in self.events if isinstance(event, HandScored)]

    def _make(self, command: Command) -> None:
        decided = GAME.decide(self.state, command, self._facts)
        self._sealed.keep(acting_seat(command.by), decided.secrets)
        self.state = decided.states[-1]
        for event in decided.events:
            self._sealed.follow(event)
        self.events += decided.events


def _opening(options: Mapping[str, Any]) -> list[Command]:
    opening = OpenTable(
        by=HOST,
        host="own_" + "0" * 32,
        game=GAME.name,
        edition=GAME.edition,
        sheet=GAME.sheet.sha256,
        options=options,
        seats=SEATS,
        visibility="public",
    )
    seated = [TakeSeat(by=PLAYER, player=f"own_{player:032x}", chips=0) for player in range(1, SEATS + 1)]
    return [opening, *seated, StartGame(by=HOST)]


def _move(action: Action) -> Move:
    members = {name: value for name, value in asdict(action.command).items() if name != "by"}
    return Move(
        {"type": type_name(type(action.command)), **members},
        tuple(Bound(*msgspec.structs.astuple(bound)) for bound in action.bounds),
        tuple(Choice(*msgspec.structs.astuple(choice)) for choice in action.choices),
    )


def _table(state: State, seat: int, seen: SeenBy) -> Table:
    """Return the table as the API shows it to a seat."""
    view = msgspec.json.decode(msgspec.json.encode(GAME.view(state, seen)))
    return Table(TABLE, GAME.name, 1, state.status, state.hand, seat, {}, state.winners, {}, view)
