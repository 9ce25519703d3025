"""What the rules of disputes must know of a table: its players, the disputed hand, and the time."""

from collections.abc import Collection

from msgspec import Struct

from service.disputes.dispute_events import Evidence, Party


class DisputedHand(Struct, frozen=True, kw_only=True):
    """A hand of the table. *ended_at* is the time of its last event; "": the hand is running.

    *evidence* has the positions of its events, the head of the table, and the verdict of the service. *is_revealed*:
    the hand is settled, and its verdict does not wait for a deck or a sealed value.
    """

    hand: int
    parties: tuple[Party, ...]
    ended_at: str
    evidence: Evidence
    is_revealed: bool


class TableFacts(Struct, frozen=True, kw_only=True):
    """A *table* at its *position*: its *host*, and the *players* who have a seat now.

    *now* is the time of the step. *citations* are the rules and rulings that the game knows. *units* are the units of
    the table's accounts. *hand* is the hand that the step is about; None: the table has no such hand.
    """

    table: str
    position: int
    is_over: bool
    is_imported: bool
    host: str
    players: Collection[str]
    dispute_days: int
    citations: Collection[str]
    units: Collection[str]
    now: str
    hand: DisputedHand | None
