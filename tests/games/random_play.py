"""Random legal play of any game, from a seed: a random actor takes a random listed action."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from service.cards import PACK, RANKS, Face
from service.deck import Deck
from service.games.bankrupt.commands import HoldCards, Resign
from service.games.common_commands import (
    CallTime,
    CloseTable,
    DeclineInvitation,
    InvitePlayer,
    LeaveSeat,
    OpenTable,
    OptionValue,
    StartGame,
    TakeSeat,
    WithdrawInvitation,
)
from service.games.decks import KnownDecks
from service.games.definition import Game
from service.games.game import HOST, PLAYER, Action, Command, Event, Secret, acting_seat, seat_actor
from service.games.insurance.commands import BuyChips, SitOut
from service.games.insurance.state import State as InsuranceTable
from service.games.insurance_hearts.commands import WriteSlip
from service.games.seating import author
from service.games.table_state import TableState
from tests.games.envelopes import Envelope, Envelopes, SeatViewpoint, after, sealed

TABLE = "tbl_" + "8" * 32
WEIGHTS: Mapping[type[Command], float] = {
    Resign: 0.02,
    CallTime: 0.05,
    HoldCards: 3,
    SitOut: 0.1,
    BuyChips: 0.1,
    LeaveSeat: 0.03,
    CloseTable: 0.2,
}
"""The weights of commands in the random choice; the default is 1. Games should rarely end by resignation."""

MOST_ABOVE = 50
"""The maximum by which a random number exceeds its least value, so that nobody buys a million chips."""

FOOT = 0.1
"""The weight of a slip with a foot call; the weight of a slip without is 1."""

PRIVATE = 0.5
"""The probability that a table is private."""

CHANGED_MIND = 0.1
"""The probability that an invitation is declined or withdrawn, or goes to a player who does not come."""

SOMEBODY_ELSE = 0.1
"""The probability that an actor acts whose decision is not due."""


class Opening(Struct, frozen=True):
    """The terms of a random table: its players, the chips that each buys, and its options."""

    players: int
    chips: int
    options: Mapping[str, OptionValue]


class Step(Struct, frozen=True):
    """One command: the state *before*, its *events*, and the states *after* each event.

    *secrets*: the values that the command sealed; *had* and *has*: the envelopes before and after the command.
    """

    before: TableState
    command: Command
    events: tuple[Event, ...]
    after: tuple[TableState, ...]
    secrets: Mapping[str, Secret]
    had: Envelopes
    has: Envelopes

    @property
    def by(self) -> str:
        """The author of the decision, as the log names the author."""
        return author(self.command, self.events[0])

    def sealed(self, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        """Return the value that the decision sealed under *field*; None: the decision sealed no value."""
        return msgspec.to_builtins(self.secrets[field].value) if field in self.secrets else None


class ShuffledDecks(KnownDecks):
    """The hidden inputs of the rules (`Known`), with decks from a seed and fake salts and roots.

    *twins*: in all decks but the first, cards of the same rank are neighbours, so that ties and dead rounds are
    frequent. If the first deck were such a deck, the draw of two players for the dealer would never end.
    """

    def __init__(self, seed: int, *, twins: bool = False) -> None:
        self._seed, self._twins = seed, twins
        self._decks: dict[str, Deck] = {}
        self.envelopes: Envelopes = {}

    def sealed(self, seat: int, field: str) -> Any:  # noqa: ANN401 -- the value may be any JSON
        return self.envelopes[seat, field].secret.value

    def server_commit(self, epoch: str) -> str:
        return _digest("c", epoch)

    def server_seed(self, epoch: str) -> str:
        return _digest("5", epoch)

    def deck(self, epoch: str) -> Deck:
        if epoch not in self._decks:
            self._decks[epoch] = Deck(epoch, self._order(epoch), SALTS, _digest("a", epoch), _digest("b", epoch))
        return self._decks[epoch]

    def _order(self, epoch: str) -> tuple[Face, ...]:
        chance = Random(f"{self._seed} {epoch}")
        if not self._twins or epoch.endswith("/1"):
            return tuple(chance.sample(PACK, len(PACK)))
        pairs = [(rank + one, rank + other) for rank in RANKS for one, other in (("c", "d"), ("h", "s"))]
        order = [face for pair in chance.sample(pairs, len(pairs)) for face in pair]
        cut = chance.choice((0, 0, 1))  # Without a cut, two players of Insurance would tie for ever.
        return (*order[cut:], *order[:cut])


SALTS = tuple(f"{position:064x}" for position in range(len(PACK)))


def _digest(letter: str, epoch: str) -> str:
    return letter + f"{int(epoch.rpartition('/')[2]):063x}"


def bankrupt(chance: Random) -> Opening:
    """Return the terms of a table of Bankrupt with small stacks, so that its game ends soon."""
    buy_in = chance.choice((1, 2, 5, 9, 12, 20, 30))
    options = {
        "buy_in": buy_in,
        "max_dead_rounds": chance.choice((1, 2, 3, 3)),
        "max_throw_ins_in_a_row": chance.choice((0, 1, 2, 2, 3)),
        "show_one_card": chance.random() < 0.5,
    }
    return Opening(chance.choice((2, 2, 3, 3, 4, 4, 5, 6, 9, 17)), buy_in, options)


def insurance(chance: Random) -> Opening:
    """Return the terms of a table of Insurance of either form, with small stacks."""
    players = chance.choice((2, 2, 3, 3, 4, 4, 5, 6, 9, 17))
    chips = chance.choice((10, 12, 20, 30, 45))
    options: dict[str, OptionValue] = {"buy_in": chips, "first_banker": chance.randint(1, players)}
    if chance.random() < 0.5:
        return Opening(players, chips, options)
    # With one flat bet and many players, the last two would win and lose the same chips for thousands of hands.
    flat: tuple[tuple[int, ...], ...] = ((10,), (20, 30)) if players < 4 else ()
    bets = chance.choice(((), (), (10, 10, 15, 40, 80, 160), (20, 50, 100, 200), *flat))
    return Opening(players, chips, {**options, "form": "non_gambling", "standard_bets": bets})


def insurance_hearts(chance: Random) -> Opening:
    """Return the terms of a table of Insurance Hearts with any of its rules, which ends after a few hands."""
    options: dict[str, OptionValue] = {
        name: chance.random() < 0.5 for name in ("insurance", "bidding", "foot", "queen_breaks_hearts")
    }
    return Opening(4, 0, {**options, "target": chance.choice((1, 10, 30, 60))})


OPENINGS: Mapping[str, Callable[[Random], Opening]] = {
    "bankrupt": bankrupt,
    "insurance": insurance,
    "insurance_hearts": insurance_hearts,
}
"""For each game, the function that returns the terms of a random table."""


def play(game: Game, seed: int, *, most_steps: int = 20_000) -> Iterator[Step]:
    """Play a random game to its end, and yield a step for each command."""
    chance = Random(seed)
    known = decks_of(seed)
    opening = _opening(game, chance, seed)
    state: TableState = game.new(TABLE)
    for _ in range(most_steps):
        command = next(opening, None) or _arrival(chance, state) or _chosen(chance, _listed(game, chance, state, known))
        step = made(game, state, command, known)
        state, known.envelopes = step.after[-1], step.has
        yield step
        if state.status in {"finished", "closed"}:
            return
    raise AssertionError("the game does not end")


def made(game: Game, state: TableState, command: Command, known: ShuffledDecks) -> Step:
    """Return the step of *command* at a table in *state*."""
    decided = game.decide(state, command, known)
    states = tuple(accumulate(decided.events, game.evolve, initial=state))[1:]
    assert decided.states == states
    has = after(sealed(known.envelopes, decided.events[0], decided.secrets), decided.events)
    return Step(state, command, decided.events, states, decided.secrets, known.envelopes, has)


def last_envelope(steps: Sequence[Step], field: str) -> Envelope:
    """Return the envelope, after *steps*, of the value that the first step sealed under *field*."""
    seat = getattr(steps[0].events[0], "seat", 0)
    until = takewhile(lambda one: one is steps[0] or not _seals_again(one, seat, field), steps)
    return [step.has[seat, field] for step in until][-1]


def _seals_again(step: Step, seat: int, field: str) -> bool:
    return field in step.secrets and getattr(step.events[0], "seat", 0) == seat


def listed(game: Game, state: TableState, actor: str, known: ShuffledDecks) -> tuple[Action, ...]:
    """List the actions of *actor*, from the actor's viewpoint."""
    order = known.deck(state.epoch).order if state.epoch else ()
    return game.actions(state, actor, SeatViewpoint(game, state, order, known.envelopes, acting_seat(actor)))


def decks_of(seed: int) -> ShuffledDecks:
    """Return the decks of the random game of *seed*."""
    return ShuffledDecks(seed, twins=seed % 3 == 0)


def _opening(game: Game, chance: Random, seed: int) -> Iterator[Command]:
    # Invitations have their own random source, so that they do not change the rest of the game.
    opening, manners = OPENINGS[game.name](chance), Random(seed)
    is_private = manners.random() < PRIVATE
    yield OpenTable(
        by=HOST,
        host="own_" + "0" * 32,
        game=game.name,
        edition=game.edition,
        sheet=game.sheet.sha256,
        options=opening.options,
        seats=opening.players,
        visibility="private" if is_private else "public",
    )
    for number in range(1, opening.players + 1):
        player = f"own_{number:032x}"
        by = manners.choice((HOST, PLAYER)) if is_private else PLAYER
        if is_private and by == PLAYER:
            yield from _invitations(manners, player)
        yield TakeSeat(by=by, player=player, chips=opening.chips)
    yield StartGame(by=HOST)


def _invitations(chance: Random, player: str) -> Iterator[Command]:
    """Yield invitations of *player*, perhaps more than one, and perhaps of another player who does not come."""
    for ended in (DeclineInvitation(by=PLAYER, player=player), WithdrawInvitation(by=HOST, player=player)):
        if chance.random() < CHANGED_MIND:
            yield InvitePlayer(by=HOST, player=player)
            yield ended
    if chance.random() < CHANGED_MIND:
        yield InvitePlayer(by=HOST, player=f"own_a{player[5:]}")
        yield InvitePlayer(by=HOST, player=player)
        return
    yield InvitePlayer(by=HOST, player=player)


def _listed(game: Game, chance: Random, state: TableState, known: ShuffledDecks) -> tuple[Action, ...]:
    """List the actions of a random actor: mostly an actor whose decision is due, sometimes any actor."""
    due = game.due(state)
    anybody = (HOST, *map(seat_actor, state.players))
    if due and chance.random() >= SOMEBODY_ELSE:
        actor = chance.choice(due)
    else:
        actor = chance.choice([actor for actor in anybody if _in_play(listed(game, state, actor, known))])
    return _in_play(listed(game, state, actor, known))


def _in_play(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return *actions* without the actions on invitations, which `_invitations` and `_arrival` make."""
    return tuple(action for action in actions if not isinstance(action.command, InvitePlayer | WithdrawInvitation))


def _chosen(chance: Random, actions: tuple[Action, ...]) -> Command:
    (action,) = chance.choices(actions, [_weight(action.command) for action in actions])
    return filled(chance, action)


def _weight(command: Command) -> float:
    if isinstance(command, WriteSlip) and command.foot:
        return FOOT
    return WEIGHTS.get(type(command), 1)


def filled(chance: Random, action: Action) -> Command:
    """Return the command of *action* with random values from its bounds and choices."""
    numbers = {b.member: chance.randint(b.least, min(b.most, b.least + MOST_ABOVE)) for b in action.bounds}
    chosen = {
        choice.member: tuple(chance.sample(choice.among, choice.count)) if choice.count else chance.choice(choice.among)
        for choice in action.choices
    }
    return replace(action.command, **numbers, **chosen)


def _arrival(chance: Random, state: TableState) -> Command | None:
    """Return, sometimes, a command that seats or invites a new player between hands of Insurance's gambling game."""
    if not isinstance(state, InsuranceTable) or not state.is_gambling or state.status != "playing":
        return None
    if state.hand_is_running or len(state.players) == state.seats or chance.random() > 0.2:
        return None
    player, chips = f"own_{chance.randrange(10**9) + 100:032x}", chance.choice((5, 10, 30))
    if state.visibility == "private":
        if not state.invited:
            return InvitePlayer(by=HOST, player=player)
        player = next(iter(state.invited.values()))
    return TakeSeat(by=PLAYER, player=player, chips=chips)
