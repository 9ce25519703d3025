"""Sealed fields: from a game's own types to the log's."""

from collections.abc import Mapping

from service.event_store.entries import Secret
from service.event_store.leaf import Until
from service.games.game import Secret as GameSecret, type_name


def secrets(sealed: Mapping[str, GameSecret]) -> dict[str, Secret]:
    """Return the *sealed* fields of a game's decision as the log takes them."""
    return {field: Secret(one.value, one.to, _until(one)) for field, one in sealed.items()}


def _until(secret: GameSecret) -> Until:
    return Until(
        never=tuple(map(type_name, secret.never)),
        open=tuple(map(type_name, secret.open)),
        shown={type_name(kind): seats for kind, seats in secret.shown.items()},
    )
