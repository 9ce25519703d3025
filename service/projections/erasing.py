"""Which sealed values can be erased: those that nobody needs any more, and that no event can open any more (log/v1)."""

from sqlalchemy import Connection

from service.games.commands import EraseValue
from service.games.game import Refusal
from service.log.database import Connect
from service.log.silence import Place
from service.log.store import Log
from service.projections.sight import is_retired
from service.projections.situations import Situation
from service.projections.vault import SEED


def must_be_erasable(connect: Connect, log: Log, situation: Situation, command: EraseValue) -> None:
    """Pass an erasure of a value that was sealed at the table in *situation* and has had its time.

    Raises:
        Refusal: nothing was sealed there, it was erased already, or the game or a later event may still need it.
    """
    place = (command.position, command.field)
    if place in situation.erased:
        raise Refusal("value_must_not_be_erased_yet", detail=f"{_named(place)} was erased before.")
    if not _is_sealed(connect, log, situation, place):
        raise Refusal("value_must_be_sealed", detail=f"No event sealed {_named(place)}.")
    state = situation.state
    if state.hand_is_running and command.position >= situation.hand_first and command.field != SEED:
        raise Refusal("hand_must_be_over", detail=f"{_named(place)} belongs to the hand that is played now.")
    if _may_still_open(situation, place):
        raise Refusal("value_must_be_settled", detail=f"A later event may still open {_named(place)}.")


def _is_sealed(connect: Connect, log: Log, situation: Situation, place: Place) -> bool:
    position, field = place
    if field == SEED:
        return position in situation.opened.values()
    if place in situation.sealed:
        return True
    return 0 < position <= situation.position and field in _fields(connect(), log, situation, position)


def _fields(connection: Connection, log: Log, situation: Situation, position: int) -> frozenset[str]:
    """Return the names of the fields that the event at *position* seals."""
    recorded = log.read(connection, situation.stream_id, position - 1, 1, head=situation.head)
    return frozenset(recorded[0].priv)


def _may_still_open(situation: Situation, place: Place) -> bool:
    """Tell whether a later event may open what was sealed at *place*; a field that is not listed was settled before."""
    if place[1] == SEED:
        return any(at == place[0] and not is_retired(situation, epoch) for epoch, at in situation.opened.items())
    kept = situation.sealed.get(place)
    return kept is not None and not kept.ended


def _named(place: Place) -> str:
    return f"{place[1]} of position {place[0]}"
