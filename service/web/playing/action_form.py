"""The parts of a form for an action: its fields, the options of a field, and what must hold for the field's value."""

from typing import Final

from msgspec import Struct

from service.cards import PACK

PARTS: Final = ("moves", "seat", "host", "rare", "seeds")
"""The parts of the page that have forms: moves, a free seat, the host's actions, rare actions, the player's seeds."""
MEMBER: Final = "m."
"""The name of a form's field is this prefix and the name of the action's member."""


class Option(Struct, frozen=True):
    """A *value* that a field may have; *words* name the value, *note* says what else depends on the choice."""

    value: str
    words: str
    note: str = ""
    is_chosen: bool = False

    @property
    def is_card(self) -> bool:
        """Whether the value is a card's face."""
        return self.value in PACK


class Field(Struct, frozen=True, kw_only=True):
    """A field of a form for the action's *member*.

    *type* is the member's type in the game's description. *kind* is "buttons" (each option sends the form), "one" (one
    of the options), "some" (*count* of the options), "number" (from *least* to *most*) or "text" (which matches the
    regular expression *pattern*).
    """

    member: str
    type: str
    kind: str
    words: str
    hint: str = ""
    options: tuple[Option, ...] = ()
    count: int = 0
    least: int = 0
    most: int = 0
    pattern: str = ""
    value: str = ""

    @property
    def name(self) -> str:
        """The name of the field in the form."""
        return f"{MEMBER}{self.member}"


class ActionForm(Struct, frozen=True, kw_only=True):
    """A form for an action: *action* is JSON with the members that no field has, *key* the Idempotency-Key.

    *part* is one of PARTS: where the page shows the form. When the action arrives, the table must still be at
    *position* ("": at any position).
    """

    action: str
    kind: str
    title: str
    hint: str
    part: str
    key: str = ""
    position: str = ""
    rule: str = ""
    ruling: str = ""
    fields: tuple[Field, ...] = ()

    @property
    def is_signed(self) -> bool:
        """Whether the action is a decision of the seat, so that it needs a signature if the seat has a signing key."""
        return self.part in {"moves", "rare", "seeds"}

    @property
    def has_buttons(self) -> bool:
        """Whether each option of the only field sends the form, so that the form needs no other button."""
        return any(field.kind == "buttons" for field in self.fields)


def words(name: str) -> str:
    """Return the *name* of a type or a member as words: "take_seat" as "Take seat"."""
    return name.replace("_", " ").capitalize()
