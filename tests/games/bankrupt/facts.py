"""The facts about Bankrupt that the general tests need."""

from random import Random

from service.cards import Face
from service.games.bankrupt.commands import HoldCards, Resign
from service.games.bankrupt.events import CardUpturned
from service.games.bankrupt.state import State, in_round
from service.games.common_events import CardsDealt, CardsShown
from service.games.game import Command, Event
from service.games.table_state import TableState
from tests.games.facts import Facts, WorldGame
from tests.games.steps import Opening


def _opening(chance: Random) -> Opening:
    """Return the terms of a table with small stacks, so that its game ends soon."""
    buy_in = chance.choice((1, 2, 5, 9, 12, 20, 30))
    options = {
        "buy_in": buy_in,
        "max_dead_rounds": chance.choice((1, 2, 3, 3)),
        "max_throw_ins_in_a_row": chance.choice((0, 1, 2, 2, 3)),
        "show_one_card": chance.random() < 0.5,
    }
    return Opening(chance.choice((2, 2, 3, 3, 4, 4, 5, 6, 9, 17)), buy_in, options)


def _weight(command: Command) -> float:
    return {Resign: 0.02, HoldCards: 3}.get(type(command), 1)  # Games should rarely end by resignation.


def _followed_from(event: Event, state: TableState) -> set[int]:
    """Return the positions of all cards in the hands of a showdown.

    With show_one_card a showdown does not show every card, but discloses about each hidden card that it is not the
    higher card of its hand and does not change the winner.
    """
    if not isinstance(event, CardsShown) or not isinstance(state, State) or not state.hand:
        return set()
    return {card for seat in in_round(state) for card in state.cards[seat]}


def _keeps(face: Face) -> str:
    """Return the rank: only ranks decide a showdown and its debts (Rules 2, 9, 10, 15 and 16)."""
    return face[0]


def _cards_shown_now(event: Event) -> set[int] | None:
    """Return the position of the upturned card, which only views of the present show until the next deal (B7.4)."""
    if isinstance(event, CardUpturned):
        return {event.pos}
    return set() if isinstance(event, CardsDealt) else None


def _members_shown_now(state: TableState) -> tuple[str, ...]:
    return ("upturned",) if isinstance(state, State) and state.upturned_in_view else ()


FACTS = Facts(
    opening=_opening,
    rulings={
        "B1": range(1, 2),
        "B4": range(1, 2),
        "B5": range(1, 3),
        "B6": range(1, 3),
        "B7": range(6),
        "B8": range(1, 2),
        "B9": range(1, 2),
        "B11": range(1, 8),
        "B12": range(1, 10),
        "B15": range(1, 2),
        "B16": range(1, 2),
        "B17": range(1, 3),
        "B18": range(1, 3),
        "B19": range(1, 2),
        "B20": range(1, 3),
        "BO1": range(1, 2),
        "BO2": range(1, 2),
    },
    simulated={"buy_in": 12},
    worlds={
        "three players": WorldGame(seed=1, seats=3, moves=60, options={"buy_in": 30}),
        "three players who sign, with seeds": WorldGame(seed=8, seats=3, moves=36, options={"buy_in": 30}, signs=True),
        "four players": WorldGame(seed=2, seats=4, moves=50, options={"buy_in": 200}),
        "six players, used cards come round again": WorldGame(
            seed=3, seats=6, moves=70, options={"buy_in": 200, "max_dead_rounds": 1}
        ),
        "seventeen players, the upturned card exposed": WorldGame(seed=4, seats=17, moves=50, options={"buy_in": 200}),
        "five players who show one card": WorldGame(
            seed=5, seats=5, moves=90, options={"buy_in": 200, "show_one_card": True}
        ),
        "four in private, of whom one resigns": WorldGame(
            seed=6, seats=4, moves=60, options={"buy_in": 200}, visibility="private", resigns_after=20
        ),
    },
    worlds_to_the_end=(
        WorldGame(seed=7, seats=4, moves=1_000, options={"buy_in": 8}, visibility="private", resigns_after=12),
    ),
    avoided=("resign",),
    illegal=({"type": "leave_seat"}, {"type": "start_game"}, {"type": "close_table"}),
    short={"buy_in": 3},
    example={"seats": 2, "options": {"buy_in": 12}},
    every_command=Opening(3, 50, {"buy_in": 50}),
    of_no_concern={"G.1": "nothing in Bankrupt is sealed: players decide in turn"},
    weight=_weight,
    followed_from=_followed_from,
    keeps=_keeps,
    cards_shown_now=_cards_shown_now,
    members_shown_now=_members_shown_now,
)
