"""Works out how a table is drawn: where each seat is, what it has, what has just moved, and who decides."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from service.web.drawing import wording
from service.web.drawing.event_lines import Transfer
from service.wording import phrases

MOST_ROUND: Final = 8
"""The maximum number of seats that are drawn round a table; a table with more seats is drawn in rows."""
_SEAT: Final = "seat:"
_HOST: Final = "host"


class Amount(Struct, frozen=True):
    """The balance of an *account*, and how much has just *moved* into it; a negative amount moved out of it."""

    account: str
    held: int
    moved: int


class SeatDrawing(Struct, frozen=True, kw_only=True):
    """A seat. *key* is the seat's key in the API's view. *place* counts the seats clockwise from 0 at the bottom."""

    number: int
    key: str
    place: int
    player: str
    is_you: bool
    is_due: bool
    has_won: bool
    amounts: Mapping[str, Amount]


class TableDrawing(Struct, frozen=True, kw_only=True):
    """A table: its *seats*, clockwise from the seat at the bottom; the *amounts* of all accounts; and who decides."""

    seats: Sequence[SeatDrawing]
    is_round: bool
    amounts: Mapping[str, Amount]
    waits: str


def draw(table: Mapping[str, Any], transfers: Iterable[Transfer]) -> TableDrawing:
    """Return the drawing of *table* as the API shows it; the drawing marks *transfers*, the latest transfers."""
    moved = Counter[str]()
    for transfer in transfers:
        moved[transfer.source] -= transfer.amount
        moved[transfer.target] += transfer.amount
    amounts = {name: Amount(name, held, moved[name]) for name, held in table["balances"].items()}
    given = table["seats"]
    first = max(table["you"] - 1, 0)
    around = [*given[first:], *given[:first]]
    return TableDrawing(
        seats=[_seat(table, seat, place, amounts) for place, seat in enumerate(around)],
        is_round=len(given) <= MOST_ROUND,
        amounts=amounts,
        waits=waits(table),
    )


def waits(table: Mapping[str, Any]) -> str:
    """Return a sentence that says for whose decision *table* waits, or how its game ended."""
    due = table["due"]
    numbers = [int(actor.removeprefix(_SEAT)) for actor in due if actor.startswith(_SEAT)]
    names = [wording.seats(numbers)] if numbers else []
    names += ["the host"] if _HOST in due else []
    match table["status"]:
        case "finished" if table["winners"]:
            said = f"The game is over: {wording.seats(table['winners'])} won."
        case "finished":
            said = "The game is over."
        case "closed":
            said = "The host closed the table."
        case "open":
            said = "Players take seats; the host starts the game."
        case _ if not names:
            said = "Nobody has to decide now."
        case _:
            is_one = len(numbers) + (_HOST in due) == 1
            said = f"{phrases.capitalised(phrases.listed(names))} {'decides' if is_one else 'decide'} now."
    return said


def _seat(table: Mapping[str, Any], seat: Mapping[str, Any], place: int, amounts: Mapping[str, Amount]) -> SeatDrawing:
    number = seat["seat"]
    return SeatDrawing(
        number=number,
        key=str(number),
        place=place,
        player=seat["player"],
        is_you=number == table["you"],
        is_due=f"{_SEAT}{number}" in table["due"],
        has_won=number in table["winners"],
        amounts={kind: amounts[f"{kind}:{number}"] for kind in seat["accounts"]},
    )
