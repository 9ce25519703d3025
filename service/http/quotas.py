"""How much one may have at once: unfinished tables of a host, seats of a player. Asked beforehand, so it is soft."""

from service.http import commands
from service.http.parts import here
from service.http.problems import Problem
from service.http.requests import idempotency_key
from service.http.visit import Asker
from service.log.database import reading
from service.projections import lists
from service.projections.generation import repeated


@repeated
def must_have_a_table_left(stream_id: bytes, who: Asker) -> None:
    """Let *who* open the table of *stream_id*, or repeat that it did.

    Raises:
        Problem: they host as many unfinished tables as one may.
    """
    most = here().settings.tables_per_owner
    if not most:
        return
    with reading(here().engine) as connection:
        is_full = lists.hosts_unfinished(connection, who.owner, most)
    if is_full and not commands.recorded_at(stream_id, who, idempotency_key()):
        raise Problem("tables_must_be_fewer", f"Here it is {most} at most.")


@repeated
def must_have_a_seat_left(stream_id: bytes, player: str, who: Asker) -> None:
    """Let *who* seat *player* at the table of *stream_id*, or repeat that it did.

    Raises:
        Problem: the player has as many seats at unfinished tables as one may.
    """
    most = here().settings.seats_per_owner
    if not most:
        return
    with reading(here().engine) as connection:
        is_full = lists.sits_at_unfinished(connection, player, most)
    if is_full and not commands.recorded_at(stream_id, who, idempotency_key()):
        raise Problem("seats_must_be_fewer", f"Here it is {most} at most.")
