"""Orders: what an asker wants done at a table, what comes of it, and why nothing may."""

from typing import Final

from msgspec import Struct

from service.games.game import Command, Refusal
from service.log.codec import Recorded
from service.log.signer import Receipt
from service.projections.sight import CardOpening, ToldField
from service.projections.situations import Situation

ANYWHERE: Final = -1


class Order(Struct, frozen=True, kw_only=True):
    """A *command* as *asker* wants it done at the table of *stream_id*, under an idempotency *key*.

    *if_match*: only while the table stands at this position. *reads_all*: the asker may know
    tables that are not public. *sees_cards*: the asker may be told what its seat sees.
    """

    stream_id: bytes
    asker: str
    key: str
    command: Command
    if_match: int = ANYWHERE
    reads_all: bool = False
    sees_cards: bool = True


class Played(Struct, frozen=True, kw_only=True):
    """A command that is recorded: its events, what its asker may see besides, and the receipt.

    The receipt is for the last of the events, whose hash binds all before it. *replayed*: it
    was recorded before, and is told again.
    """

    recorded: tuple[Recorded, ...]
    openings: tuple[CardOpening, ...]
    fields: tuple[ToldField, ...]
    receipt: Receipt
    replayed: bool


class NoSuchTable(Exception):
    """There is no such table, or none that the asker may know of."""


class TableIsImported(Exception):
    """The table was played elsewhere: here it is only read."""


class AskerMustBe(Exception):
    """Somebody else than the asker may do this: the table's *who*, "host" or "player"."""

    def __init__(self, who: str) -> None:
        super().__init__(who)
        self.who = who


class Refused(Exception):
    """The rules refused a command of *by* at the table in *situation*."""

    def __init__(self, refusal: Refusal, situation: Situation, by: str) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal
        self.situation = situation
        self.by = by


class PositionMustMatch(Exception):
    """The table in *situation* no longer stands where the asker thought."""

    def __init__(self, expected: int, situation: Situation) -> None:
        super().__init__(f"expected position {expected}, the table stands at {situation.position}")
        self.expected = expected
        self.situation = situation


class KeyMustBeNew(Exception):
    """The idempotency key stands for another command: *member* was *recorded*, and is *given* now."""

    def __init__(self, member: str, recorded: object, given: object) -> None:
        super().__init__(f"{member}: {recorded!r} was recorded under this key, {given!r} is given")
        self.member = member
        self.recorded = recorded
        self.given = given


class TooManyRaces(Exception):
    """Others were always first; nothing was recorded."""
