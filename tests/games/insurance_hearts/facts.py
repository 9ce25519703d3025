"""The facts about Insurance Hearts that the general tests need."""

from random import Random

from service.cards import suit
from service.games.common_commands import OptionValue
from service.games.game import Command
from service.games.insurance_hearts.commands import WriteSlip
from tests.games.facts import Facts, WorldGame
from tests.games.insurance_hearts.other_worlds import SEALED, faces_named, followed_from
from tests.games.steps import Opening

_CARDS = ("2c", "Jc", "Ad", "5h", "Qs", "Ks")


def _opening(chance: Random) -> Opening:
    """Return the terms of a table with any of the optional rules, whose game ends after a few hands."""
    options: dict[str, OptionValue] = {
        name: chance.random() < 0.5 for name in ("insurance", "bidding", "foot", "queen_breaks_hearts")
    }
    return Opening(4, 0, {**options, "target": chance.choice((1, 10, 30, 60))})


def _weight(command: Command) -> float:
    return 0.1 if isinstance(command, WriteSlip) and command.foot else 1


FACTS = Facts(
    opening=_opening,
    short={"target": 1},
    rulings={
        "H-DEAL": range(1, 3),
        "H-PASS": range(1, 3),
        "H-LEAD": range(1, 2),
        "H-FOLLOW": range(1, 3),
        "H-FIRST": range(1, 2),
        "H-BREAK": range(1, 2),
        "H-SCORE": range(1, 3),
        "H-END": range(1, 2),
        "IH": range(1, 14),
    },
    simulated={},
    worlds={
        "up to the bids": WorldGame(seed=11, seats=4, moves=14, options={}),
        "in private, the first hand called off": WorldGame(
            seed=12, seats=4, moves=90, options={}, visibility="private", calls={"foot": 1}
        ),
        "signed, with seeds": WorldGame(seed=14, seats=4, moves=32, options={}, signs=True),
        "without bids and feet": WorldGame(seed=13, seats=4, moves=75, options={"bidding": False, "foot": False}),
    },
    worlds_to_the_end=(WorldGame(seed=10, seats=4, moves=1_000, options={"target": 1}, visibility="private"),),
    illegal=({"type": "leave_seat"}, {"type": "start_game"}, {"type": "resign"}),
    tried=(
        {"type": "write_slip", "insurance": 6, "foot": True},
        *({"type": "pass_cards", "cards": [*_CARDS[at : at + 3]]} for at in (0, 3)),
        *({"type": "place_bid", "card": card, "points": 9, "shown": card} for card in _CARDS),
        *({"type": "make_no_bid", "shown": card} for card in _CARDS),
        *({"type": kind, "card": card} for kind in ("choose_leftover", "play_card") for card in _CARDS),
    ),
    every_command=Opening(4, 0, {}),
    weight=_weight,
    followed_from=followed_from,
    keeps=suit,
    faces_named=faces_named,
    sealed=SEALED,
)
