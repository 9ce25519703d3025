"""Signs a player's actions again in each world, because the hashes and other players' choices differ between worlds."""

# ruff: noqa: ANN401 -- JSON may be any value

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from werkzeug.test import TestResponse

from service.bots.strategies import SEALS
from tests.http.signer import Signer, choice, key_of

if TYPE_CHECKING:
    from tests.tables.worlds import Request, World


class _Reader:
    """Sends GET requests in *world* with the key of *who*, for `Signer`."""

    def __init__(self, world: "World", who: str) -> None:
        self._world = world
        self._who = who

    def get(self, path: str) -> TestResponse:
        return self._world.get(self._who, path)


def signed(world: "World", request: "Request") -> Any:
    """Return the body of *request*, an action, signed by its author with the key `key_of(<the author's name>)`."""
    path = request.path.removesuffix("/actions")
    reader: Any = _Reader(world, request.who)  # `Signer` needs a `Person` only to read here.
    signer = Signer(reader, path, key_of(request.who))
    view: Any = world.get(request.who, path).get_json()
    seals = SEALS.get(view["game"])
    decision, values = seals(request.body, view["options"]) if seals else ("", {})
    if not decision:
        return {**request.body, "sig": signer.sig(request.body, request.key)}
    seat: Any = world.get(request.who, f"{path}/me").get_json()
    blinds = {field: sha256(f"{request.key} {field}".encode()).hexdigest() for field in values}
    hashes = {field: choice(signer.stream, seat["seat"], field, blinds[field], values[field]) for field in values}
    sig = signer.sig({"type": decision, **hashes}, request.key)
    sig["blinds"] = [{"field": field, "blind": blind} for field, blind in blinds.items()]
    return {**request.body, "sig": sig}
