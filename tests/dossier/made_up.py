"""Made-up events, in the forms of log_format.md, for the tests of single checks of verify.py."""

from typing import Any

from service.canonical import canonical
from service.dossier import verify
from service.games.game import seat_actor

TABLE = "tbl_" + "7" * 32
STREAM = f"table/{TABLE}"

Event = dict[str, Any]


def event(kind: str, seat: int = 0, **pub: object) -> Event:
    decision = {"by": seat_actor(seat), "cmd": "c" * 64} if seat else {"by": "service"}
    return {"stream": STREAM, "type": kind, "pub": {**({"seat": seat} if seat else {}), **pub}, **decision}


def dossier(events: list[Event], leaves: list[bytes] | None = None) -> verify.Dossier:
    made = verify.Dossier({})
    made.events = [{**one, "position": position} for position, one in enumerate(events, start=1)]
    made.leaves = leaves or [canonical(one) for one in events]
    made.begin = verify.Begin(STREAM, 0, 0, 1, len(events))
    return made
