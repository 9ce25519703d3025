"""What an export is made of: the chosen tables and times, transfers with their reasons, and ended hands."""

# DECISIONS 116

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from msgspec import Struct

from service.event_store.entries import Head
from service.games.definition import Game
from service.ledger import Balances, account_seat

Form = Literal["hledger", "text", "csv"]
FORMS: Final[tuple[Form, ...]] = ("hledger", "text", "csv")

Sheet = Literal["transfers", "statements", "hands"]
SHEETS: Final[tuple[Sheet, ...]] = ("transfers", "statements", "hands")


class Selection(Struct, frozen=True, kw_only=True):
    """What an export has: events at the time *since* or later, and before *until*; "": no limit.

    *owner*: only tables at which this owner has or had a seat; sheets and hand histories have only the
    owner's transfers, postings and hands. "": all tables.
    """

    owner: str = ""
    since: str = ""
    until: str = ""

    @property
    def has_time(self) -> bool:
        """Whether the export can have events: *until* is later than *since*, or is no limit."""
        return not self.until or self.since < self.until


class ExportedTable(Struct, frozen=True, kw_only=True):
    """The table with the id *table*, whose export ends at *head*.

    A chip is worth *worth_minor* minor units of *currency*; 0: chips have no worth in money.
    """

    table: str
    game: Game
    currency: str
    worth_minor: int
    head: Head


class Moved(Struct, frozen=True, kw_only=True):
    """A transfer of *amount* from *source* to *target*, with its reason, and the balances of both accounts after it.

    *position* and *ordinal* say where the transfer is: in the table's stream if *dispute* is 0, otherwise in the stream
    of the table's disputes. If *dispute* is not 0, the transfer is a part of this dispute's correction. *hand* is 0 if
    the transfer is in no hand. *owners* has the owner of each seat after the event; for a seat that the event made
    free, the owner before the event.
    """

    table: ExportedTable
    position: int
    ordinal: int
    at: str
    type: str
    by: str
    source: str
    target: str
    amount: int
    unit: str
    rule: str
    ruling: str
    source_balance: int
    target_balance: int
    hand: int = 0
    dispute: int = 0
    owners: Mapping[int, str] = {}

    def owner_of(self, account: str) -> str:
        """Return the owner of an account of this transfer; "": the account belongs to no seat."""
        return _owner_of(account, self.owners, is_of_disputes=self.dispute > 0)


def seat_of(account: str) -> int:
    """Return the seat to which *account* belongs; 0: it belongs to no seat, or no game has such an account."""
    try:
        return account_seat(account)
    except ValueError:
        return 0


def _owner_of(account: str, owners: Mapping[int, str], *, is_of_disputes: bool) -> str:
    """Return the owner of *account*: corrections have an account for each owner, tables have accounts of seats."""
    return account.partition(":")[2] if is_of_disputes else owners.get(seat_of(account), "")


class EndedHand(Struct, frozen=True, kw_only=True):
    """A hand that was settled, with the balances of all accounts right before its *first* and after its *last* event.

    *owners* are the owners of the table's seats before or after the hand, and so include a player who left meanwhile.
    """

    table: ExportedTable
    stream_id: bytes
    hand: int
    first: int
    last: int
    started_at: str
    ended_at: str
    before: Balances
    after: Balances
    owners: Mapping[int, str]


class Opening(Struct, frozen=True, kw_only=True):
    """The balances with which the export of a table begins, because it leaves out earlier transfers.

    *at* is the time at which the export begins. *balances* has the balance of each account in each unit; balances of 0
    are left out.
    """

    table: ExportedTable
    at: str
    balances: Mapping[tuple[str, str], int]
    owners: Mapping[int, str]
    is_of_disputes: bool = False

    def owner_of(self, account: str) -> str:
        """Return the owner of an account of these balances; "": the account belongs to no seat."""
        return _owner_of(account, self.owners, is_of_disputes=self.is_of_disputes)


class Damaged(Struct, frozen=True):
    """A *table* that could be exported only up to the event before *position*; *why* is the reason.

    *position* is in the table's stream, or in the stream of its disputes if *why* names that stream.
    """

    table: str
    position: int
    why: str


class Writer(Protocol):
    """Writes one format: each method returns the text of one part of the export; the parts are written in order."""

    def begin(self) -> str:
        """Return the text before the first table."""

    def table(self, table: ExportedTable) -> str:
        """Return the text at the beginning of a table, which may have nothing in this export."""

    def opening(self, opening: Opening) -> str:
        """Return the text for the balances with which the export of the table begins."""

    def moved(self, moved: Moved) -> str:
        """Return the text for a transfer."""

    def hand(self, hand: EndedHand) -> str:
        """Return the text for a hand that ended."""

    def end(self, tables: int, damaged: tuple[Damaged, ...]) -> str:
        """Return the text after the last table: how many *tables* the export has, and whether it is whole."""
