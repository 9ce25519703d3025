"""What the general tests must know about Insurance Hearts."""

from random import Random

from service.cards import suit
from service.games.common_commands import OptionValue
from service.games.game import Command
from service.games.insurance_hearts.commands import WriteSlip
from tests.games.facts import Facts
from tests.games.insurance_hearts.other_worlds import SEALED, faces_named, followed_from
from tests.games.steps import Opening


def _opening(chance: Random) -> Opening:
    """Return the terms of a table with any of the optional rules, where the game ends after a few hands."""
    options: dict[str, OptionValue] = {
        name: chance.random() < 0.5 for name in ("insurance", "bidding", "foot", "queen_breaks_hearts")
    }
    return Opening(4, 0, {**options, "target": chance.choice((1, 10, 30, 60))})


def _weight(command: Command) -> float:
    return 0.1 if isinstance(command, WriteSlip) and command.foot else 1


FACTS = Facts(
    opening=_opening,
    rules=("standard rules", "Insurance", "Bidding", "Foot Rule"),
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
    weight=_weight,
    followed_from=followed_from,
    keeps=suit,
    faces_named=faces_named,
    sealed=SEALED,
)
