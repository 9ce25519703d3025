"""From what a game says of a sealed field to what the log keeps of it."""

from collections.abc import Mapping

from service.event_store.entries import Secret
from service.event_store.leaf import Until
from service.games.game import Secret as OfGame, type_name


def secrets(sealed: Mapping[str, OfGame]) -> dict[str, Secret]:
    """Return the sealed fields of a decision as the log takes them."""
    return {field: Secret(one.value, one.to, _until(one)) for field, one in sealed.items()}


def _until(secret: OfGame) -> Until:
    return Until(
        never=tuple(map(type_name, secret.never)),
        open=tuple(map(type_name, secret.open)),
        shown={type_name(kind): seats for kind, seats in secret.shown.items()},
    )
