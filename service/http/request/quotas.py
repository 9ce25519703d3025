"""How much one may have at once: unfinished tables of a host, seats of a player. Asked beforehand, so it is soft."""

from service.database.engines import reading
from service.http.request import command_requests
from service.http.request.context import Caller
from service.http.request.parsing import idempotency_key
from service.http.request.services import services
from service.http.responses.problems import Problem
from service.projections import lists
from service.projections.swap_guard import retry_after_swap


@retry_after_swap
def must_have_a_table_left(stream_id: bytes, caller: Caller) -> None:
    """Let *caller* open the table of *stream_id*, or repeat that it did.

    Raises:
        Problem: they host as many unfinished tables as one may.
    """
    most = services().settings.tables_per_owner
    if not most:
        return
    with reading(services().engine) as connection:
        is_full = lists.hosts_unfinished(connection, caller.owner, most)
    if is_full and not command_requests.recorded_at(stream_id, caller, idempotency_key()):
        raise Problem("tables_must_be_fewer", f"Here it is {most} at most.")


@retry_after_swap
def must_have_a_seat_left(stream_id: bytes, player: str, caller: Caller) -> None:
    """Let *caller* seat *player* at the table of *stream_id*, or repeat that it did.

    Raises:
        Problem: the player has as many seats at unfinished tables as one may.
    """
    most = services().settings.seats_per_owner
    if not most:
        return
    with reading(services().engine) as connection:
        is_full = lists.sits_at_unfinished(connection, player, most)
    if is_full and not command_requests.recorded_at(stream_id, caller, idempotency_key()):
        raise Problem("seats_must_be_fewer", f"Here it is {most} at most.")
