"""Checks the limits of an owner: unfinished tables, and seats. Concurrent commands may exceed a limit slightly."""

# DECISIONS 24

from collections.abc import Callable

from service.database.spread import node_readers
from service.database.spread.node_readers import Reach
from service.http.problems.problem import Problem
from service.http.request.context import Caller
from service.http.request.parsing import idempotency_key
from service.http.request.recorded_commands import recorded_at
from service.http.request.services import services
from service.projections import lists
from service.projections.swap_guard import retry_after_swap


@retry_after_swap
def must_have_a_table_left(stream_id: bytes, caller: Caller) -> None:
    """Check that *caller* may open the table of *stream_id*. A repeat of the command is always allowed.

    Raises:
        Problem: the caller has reached the limit of unfinished tables, and the command is not a repeat.
    """
    most = services().settings.tables_per_owner
    if not most:
        return
    is_full = _reaches(lists.hosts_unfinished, caller.owner, most)
    if is_full and not recorded_at(stream_id, caller, idempotency_key()):
        raise Problem("tables_must_be_fewer", f"The limit here is {most}.")


@retry_after_swap
def must_have_a_seat_left(stream_id: bytes, player: str, caller: Caller) -> None:
    """Check that *caller* may seat *player* at the table of *stream_id*. A repeat of the command is always allowed.

    Raises:
        Problem: the player has reached the limit of seats at unfinished tables, and the command is not a repeat.
    """
    most = services().settings.seats_per_owner
    if not most:
        return
    is_full = _reaches(lists.sits_at_unfinished, player, most)
    if is_full and not recorded_at(stream_id, caller, idempotency_key()):
        raise Problem("seats_must_be_fewer", f"The limit here is {most}.")


def _reaches(has_reached: Callable[[Reach, str, int], bool], owner: str, most: int) -> bool:
    """Return whether *owner* has reached the limit. Tables on nodes that are down are not counted (DECISIONS 138).

    Otherwise nobody could open a table or take a seat at any node while one node is down. The command itself still
    fails if it needs the node that is down.
    """
    return node_readers.read_reachable(services().engine, lambda reach: has_reached(reach, owner, most)).value
