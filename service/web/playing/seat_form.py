"""The form for taking a seat: a field for the chips to buy, and a list of the free seats."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from service.web.playing.action_form import ActionForm, Field, Option

TAKE_SEAT: Final = "take_seat"
_MOST_CHIPS: Final = 1_000_000_000
_ANY: Final = Option("0", "any", is_chosen=True)
KIND: Final[Mapping[str, Any]] = {
    "type": TAKE_SEAT,
    "members": ({"name": "chips", "type": "integer"}, {"name": "seat", "type": "integer"}),
}
"""The action of this form, described as the API describes actions."""


def seat_form(table: Mapping[str, Any], game: Mapping[str, Any]) -> ActionForm | None:
    """Return the form for a seat at *table*, or None if no seat is free, the game is over or the table is closed."""
    free = [str(seat["seat"]) for seat in table["seats"] if not seat["player"]]
    if not free or table["status"] not in {"open", "playing"}:
        return None
    options = (_ANY, *(Option(seat, seat) for seat in free))
    seat = Field(member="seat", type="integer", kind="one", words="Seat", options=options)
    return ActionForm(
        action='{"type":"take_seat"}',
        kind=TAKE_SEAT,
        title="Take a seat",
        hint="You play at this table from then on.",
        part="seat",
        fields=(*_chips(table["options"], game), seat),
    )


def _chips(options: Mapping[str, Any], game: Mapping[str, Any]) -> tuple[Field, ...]:
    """Return the field for the chips to buy; a game without a buy-in has no such field."""
    hints = [option["description"] for option in game["options"] if option["name"] == "buy_in"]
    if not hints or "buy_in" not in options:
        return ()
    chips = Field(member="chips", type="integer", kind="number", words="Chips", hint=hints[0])
    return (replace(chips, least=1, most=_MOST_CHIPS, value=str(options["buy_in"])),)
