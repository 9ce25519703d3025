"""The facts about Insurance that the general tests need."""

from random import Random

from service.games.common_commands import InvitePlayer, OptionValue, TakeSeat
from service.games.game import HOST, PLAYER, Command
from service.games.insurance.commands import BuyChips, SitOut
from service.games.insurance.state import State
from service.games.table_state import TableState
from tests.games.facts import Facts, WorldGame
from tests.games.steps import Opening


def _opening(chance: Random) -> Opening:
    """Return the terms of a table of the gambling game or the non-gambling variation, with small stacks."""
    players = chance.choice((2, 2, 3, 3, 4, 4, 5, 6, 9, 17))
    chips = chance.choice((10, 12, 20, 30, 45))
    options: dict[str, OptionValue] = {"buy_in": chips, "first_banker": chance.randint(1, players)}
    if chance.random() < 0.5:
        return Opening(players, chips, options)
    # With many players, and a standard bet that rises at most once, the last two players would win and lose the same
    # chips for thousands of hands.
    flat: tuple[tuple[int, ...], ...] = ((10,), (20, 30)) if players < 4 else ()
    bets = chance.choice(((), (), (10, 10, 15, 40, 80, 160), (20, 50, 100, 200), *flat))
    return Opening(players, chips, {**options, "form": "non_gambling", "standard_bets": bets})


def _weight(command: Command) -> float:
    return {SitOut: 0.1, BuyChips: 0.1}.get(type(command), 1)


def _arrival(chance: Random, state: TableState) -> Command | None:
    """Return, sometimes, a command that seats or invites a new player between hands of the gambling game."""
    assert isinstance(state, State)
    if not state.is_gambling or state.status != "playing":
        return None
    if state.hand_is_running or len(state.players) == state.seats or chance.random() > 0.2:
        return None
    player, chips = f"own_{chance.randrange(10**9) + 100:032x}", chance.choice((5, 10, 30))
    if state.visibility == "private":
        if not state.invited:
            return InvitePlayer(by=HOST, player=player)
        player = next(iter(state.invited.values()))
    return TakeSeat(by=PLAYER, player=player, chips=chips)


FACTS = Facts(
    opening=_opening,
    rulings={
        "I-BET": range(1, 6),
        "I-DEAL1": range(1, 3),
        "I-OFFER": range(1, 4),
        "I-ACC": range(1, 3),
        "I-DEAL2": range(1, 2),
        "I-PAY": range(1, 3),
        "I-END": range(1, 4),
    },
    simulated={"buy_in": 40},
    worlds={
        "four who gamble": WorldGame(seed=8, seats=4, moves=60, options={"buy_in": 200}),
        "nine until one has it all": WorldGame(
            seed=9, seats=9, moves=90, options={"buy_in": 60, "form": "non_gambling", "standard_bets": [10, 20]}
        ),
        "four in private, with a guest": WorldGame(
            seed=14, seats=4, moves=45, options={"buy_in": 200}, visibility="private", has_guest=True
        ),
    },
    avoided=("buy_chips",),
    illegal=({"type": "start_game"}, {"type": "resign"}),
    short={"buy_in": 20, "form": "non_gambling", "standard_bets": (10, 20, 40)},
    example={"seats": 2, "options": {"buy_in": 50}},
    every_command=Opening(3, 60, {"form": "gambling"}),
    of_no_concern={"G.1": "nothing in Insurance is sealed: every choice is public"},
    weight=_weight,
    arrival=_arrival,
)
