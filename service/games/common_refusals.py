"""Conditions that commands must meet: their class, and the conditions that all games share (DECISIONS 94)."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct


class Condition(Struct, frozen=True):
    """A condition that commands must meet: the rules refuse a command that does not meet it.

    *code* names the condition in snake case; a code never changes. *sentence* says, for people, what must hold.
    Each pair in *cites* is a citation that a refusal may have: a rule of the author's sheet, and one of our rulings
    (`rulings.py`, `common_rulings.py`); "" stands for no rule or no ruling.
    """

    code: str
    sentence: str
    cites: tuple[tuple[str, str], ...]

    def citation(self, rule: str, ruling: str) -> tuple[str, str]:
        """Return *rule* and *ruling*; if both are "" and the condition has only one citation, return that citation.

        Raises:
            ValueError: the condition does not declare this citation.
        """
        if not rule and not ruling and len(self.cites) == 1:
            return self.cites[0]
        if (rule, ruling) not in self.cites:
            raise ValueError(f"{self.code} does not cite rule {rule!r} with ruling {ruling!r}.")
        return rule, ruling


Precedence: TypeAlias = Mapping[type, tuple[Condition, ...]]
"""For each type of command: its conditions in order of precedence. The first condition that fails gives the refusal."""


def declared(precedence: Precedence) -> Precedence:
    """Return *precedence*, after a check of its conditions.

    Raises:
        ValueError: two conditions have the same code, or a command has a condition twice.
    """
    conditions(precedence.values())
    return precedence


def conditions(rows: Iterable[Iterable[Condition]]) -> Mapping[str, Condition]:
    """Return every condition in *rows*, by its code.

    Raises:
        ValueError: two conditions have the same code, or a row has a condition twice.
    """
    by_code: dict[str, Condition] = {}
    for row in map(tuple, rows):
        if len(set(row)) < len(row):
            raise ValueError(f"A condition occurs twice: {', '.join(condition.code for condition in row)}.")
        for condition in row:
            if by_code.setdefault(condition.code, condition) is not condition:
                raise ValueError(f"Two conditions have the code {condition.code}.")
    return by_code


def seats_condition(least: int, most: int, *cites: tuple[str, str]) -> Condition:
    """Return the condition on the number of seats of a new table: a table of the game has *least* to *most* seats."""
    seats = f"{least} to {most}" if least < most else f"{least}"
    return Condition("seats_must_be_within_the_games", f"A table has {seats} seats.", cites)


def options_condition(*cites: tuple[str, str], further: str = "") -> Condition:
    """Return the condition on the options of a new table. *further*: what else the game demands of the options."""
    sentence = "Every option must be an option of the game, with a valid value"
    return Condition("options_must_be_the_games", f"{sentence}: {further}." if further else f"{sentence}.", cites)


def buy_in_condition(unit: str, *cites: tuple[str, str], where: str = "") -> Condition:
    """Return the condition that all players buy the same number of chips, which the table's options set.

    *unit* is the game's word for chips. *where* names the tables that have the condition (default: all tables).
    """
    players = f"{where} every player" if where else "Every player"
    return Condition(
        "buy_in_must_be_the_tables", f"{players} buys the number of {unit} that the table's options set.", cites
    )


ACTION_MUST_BELONG_TO_THE_GAME: Final = Condition(
    "action_must_belong_to_the_game", "An action must belong to the game that the table plays.", (("", "G.2"),)
)
"""The condition that precedes all others: the rules of a game do not see a command of another game."""

TABLE_MUST_BE_NEW: Final = Condition("table_must_be_new", "A table can be opened only once.", (("", "G.2"),))
GAME_MUST_NOT_HAVE_STARTED: Final = Condition(
    "game_must_not_have_started", "This is possible only before the start.", (("", "G.4"),)
)
GAME_MUST_BE_UNDER_WAY: Final = Condition(
    "game_must_be_under_way", "This is possible only after the start and before the end of the game.", (("", "G.4"),)
)
HOST_MUST_ASK: Final = Condition("host_must_ask", "Only the table's host may do this.", (("", "G.4"), ("", "G.10")))
SERVICE_MUST_ASK: Final = Condition(
    "service_must_ask", "Only the service may erase a value, on its operator's command.", (("", "G.12"),)
)
ENOUGH_SEATS_MUST_BE_TAKEN: Final = Condition(
    "enough_seats_must_be_taken", "The game can start only once enough players have taken a seat.", (("", "G.4"),)
)

PLAYER_MUST_HAVE_A_SEAT: Final = Condition(
    "player_must_have_a_seat", "Only a player with a seat can do this.", (("", "G.4"),)
)
PLAYER_MUST_NOT_SIT_TWICE: Final = Condition(
    "player_must_not_sit_twice", "A player may have only one seat at a table.", (("", "G.4"),)
)
SEAT_MUST_BE_TAKEN_LESS_OFTEN: Final = Condition(
    "seat_must_be_taken_less_often",
    "A player may take a seat at a table at most five times before the start, and at most five times between two "
    "hands.",
    (("", "G.11"),),
)
TABLE_MUST_HAVE_A_FREE_SEAT: Final = Condition(
    "table_must_have_a_free_seat", "A player can take a seat only if a seat is free.", (("", "G.4"),)
)
SEAT_MUST_BE_FREE: Final = Condition(
    "seat_must_be_free", "The seat that a player asks for must exist and must be free.", (("", "G.4"),)
)

GAME_MUST_NOT_BE_OVER: Final = Condition(
    "game_must_not_be_over", "This is possible only before the end of the game.", (("", "G.13"),)
)
HAND_MUST_NOT_BE_RUNNING: Final = Condition(
    "hand_must_not_be_running", "A signing key can be registered only while no hand is played.", (("", "G.13"),)
)
SIGNING_KEY_MUST_BE_SOUND: Final = Condition(
    "signing_key_must_be_sound",
    "A signing key must be an Ed25519 public key under which nobody can forge signatures.",
    (("", "G.13"),),
)
SIGNING_KEY_MUST_BE_NEW: Final = Condition(
    "signing_key_must_be_new", "The key must not yet be the signing key of a seat at this table.", (("", "G.13"),)
)
SIGNING_KEY_MUST_BE_REGISTERED: Final = Condition(
    "signing_key_must_be_registered", "Only a signing key that is registered can be ended.", (("", "G.13"),)
)

PLAYER_MUST_BE_INVITED: Final = Condition(
    "player_must_be_invited", "The player must have an open invitation to the table.", (("", "G.10"),)
)
INVITED_MUST_NOT_SIT_HERE: Final = Condition(
    "invited_must_not_sit_here", "A player who has a seat at the table cannot be invited.", (("", "G.10"),)
)
PLAYER_MUST_NOT_BE_INVITED_TWICE: Final = Condition(
    "player_must_not_be_invited_twice", "A player may have only one open invitation to a table.", (("", "G.10"),)
)
OPEN_INVITATIONS_MUST_BE_FEWER: Final = Condition(
    "open_invitations_must_be_fewer", "A table may have at most 52 open invitations.", (("", "G.10"),)
)
INVITATIONS_MUST_BE_FEWER: Final = Condition(
    "invitations_must_be_fewer", "A table may have at most 1000 invitations in all.", (("", "G.10"),)
)

TABLE_MUST_HAVE_PLAYERS_SEEDS: Final = Condition(
    "table_must_have_players_seeds", "Only a table with players' seeds asks its players for seeds.", (("", "G.9"),)
)
BATCH_MUST_AWAIT_SEEDS: Final = Condition(
    "batch_must_await_seeds",
    "A seed is for the batch that awaits seeds now; a seed for an earlier batch comes too late.",
    (("", "G.9"),),
)
COMMITMENT_MUST_STAND: Final = Condition(
    "commitment_must_stand", "A seat commits to one seed for a batch, and cannot change its commitment.", (("", "G.9"),)
)
COMMITMENTS_MUST_BE_OPEN: Final = Condition(
    "commitments_must_be_open",
    "A player in the game may commit to a seed until the commitments of the batch are closed, or time is called.",
    (("", "G.9"),),
)
COMMITMENT_MUST_BE_GIVEN: Final = Condition(
    "commitment_must_be_given", "Only a seat that has committed to a seed can show a seed.", (("", "G.9"),)
)
COMMITMENTS_MUST_BE_CLOSED: Final = Condition(
    "commitments_must_be_closed",
    "A seed must not be shown while other seats may still commit.",
    (("", "G.9"),),
)
SEED_MUST_STAND: Final = Condition("seed_must_stand", "A seat may show its seed for a batch only once.", (("", "G.9"),))
SEED_MUST_MATCH_ITS_COMMITMENT: Final = Condition(
    "seed_must_match_its_commitment", "The seed must be the one to which the seat has committed.", (("", "G.9"),)
)
SEEDS_MUST_BE_IN: Final = Condition(
    "seeds_must_be_in",
    "A hand that needs a shuffle can be dealt only once the players have shown their seeds, or time was called.",
    (("", "G.9"),),
)
