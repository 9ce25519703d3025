"""The reasons why a table is pending: decks that are not revealed yet, and sealed fields that are not public yet."""

from msgspec import Struct

from service.audit.judging.disclosures import Disclosures


class UnopenedField(Struct, frozen=True):
    """A sealed *field* that is not public yet, of the event at *position*."""

    position: int
    field: str


class Pending(Struct, frozen=True, kw_only=True):
    """The epochs of a *table*'s *decks* that are not revealed yet, and the sealed *fields* that are not public yet."""

    table: str
    decks: tuple[str, ...]
    fields: tuple[UnopenedField, ...]

    def __str__(self) -> str:
        """Return the reasons as text that can end a sentence."""
        decks = ", ".join(epoch.rpartition("/")[2] for epoch in self.decks)
        fields = ", ".join(f"{one.field!r} of position {one.position}" for one in self.fields)
        reasons = (
            f"deck{'s' * (len(self.decks) > 1)} {decks} not revealed yet" if decks else "",
            f"sealed field{'s' * (len(self.fields) > 1)} {fields} not public yet" if fields else "",
        )
        return "; ".join(filter(None, reasons))


def pending(table: str, disclosures: Disclosures) -> Pending:
    """Return the decks and sealed fields of *table* that are still secret after *disclosures*."""
    return Pending(
        table=table,
        decks=tuple(epoch for epoch in disclosures.opened if epoch not in disclosures.ended),
        fields=tuple(UnopenedField(*place) for place in disclosures.unopened),
    )
