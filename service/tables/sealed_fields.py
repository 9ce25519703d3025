"""Converts the sealed fields of the games' decisions to the types of the log."""

from collections.abc import Mapping

import msgspec

from service.event_store.entries import Secret
from service.event_store.leaf import Until
from service.games.game import Secret as GameSecret, type_name


def secrets(sealed: Mapping[str, GameSecret]) -> dict[str, Secret]:
    """Convert the *sealed* fields of a game's decision to the type that the log accepts."""
    return {field: Secret(msgspec.to_builtins(one.value), one.to, _until(one)) for field, one in sealed.items()}


def _until(secret: GameSecret) -> Until:
    return Until(
        never=tuple(map(type_name, secret.never)),
        open=tuple(map(type_name, secret.open)),
        shown={type_name(kind): seats for kind, seats in secret.shown.items()},
    )
