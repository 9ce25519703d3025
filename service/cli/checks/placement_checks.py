"""The checks of `chiptrail doctor` for a database that is spread over several nodes (DECISIONS 129)."""

from collections.abc import Iterator
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from service.cli.checks.installation_checks import Check, Finding, Installation
from service.database import engines
from service.database.engines import Limits
from service.database.spread import nodes, placement, spread_check
from service.database.spread.nodes import Node

_OF_A_NODE: Final = Limits(connections=1)


def of(installation: Installation) -> Iterator[Check]:
    """Yield the checks for a spread database; yield none for any other database."""
    with engines.reading(installation.engine) as connection:
        is_spread = spread_check.is_spread(connection)
    if is_spread:
        yield from (_placement, _nodes)


def _placement(installation: Installation) -> Finding:
    """Check that the database tables of streams are on the nodes, in one colocation group, and not at the coordinator.

    If these tables are in one colocation group, the rows of one stream are on one node.
    """
    with engines.reading(installation.engine) as connection:
        unplaced, copies = placement.unplaced(connection), placement.local_copies(connection)
        groups = placement.groups(connection)
    again = f"{installation.command('migrate')} --distribute"
    if unplaced:
        return Finding("placement", "wrong", f"these tables are not on the nodes: {', '.join(unplaced)}", again)
    if groups != 1:
        message = f"the tables are in {groups} groups, so the rows of one stream can be on several nodes"
        return Finding("placement", "wrong", message, "SELECT update_distributed_table_colocation for each table")
    if copies:
        message = f"the coordinator has old copies, sealed values may be among them: {', '.join(copies)}"
        cure = "SELECT truncate_local_data_after_distributing_table for each of them, its triggers disabled meanwhile"
        return Finding("placement", "wrong", message, cure)
    return Finding("placement", "ok", "the rows of each stream are on one node, and the coordinator has no copy")


def _nodes(installation: Installation) -> Finding:
    """Check that each node answers this machine, because servers connect to the nodes directly."""
    with engines.reading(installation.engine) as connection:
        found = nodes.nodes(connection)
    silent = [f"{node.host}:{node.port} ({why})" for node in found if (why := _why_silent(installation, node))]
    if silent:
        return Finding("nodes", "wrong", f"these nodes do not answer: {', '.join(silent)}", _START)
    return Finding("nodes", "ok", f"all answer: {len(found)}")


def _why_silent(installation: Installation, node: Node) -> str:
    """Return why servers can't use *node*, or "" if it answers and has the tables of this database."""
    at_node = nodes.engine_on(installation.engine, node, _OF_A_NODE)
    try:
        with engines.reading(at_node) as connection:
            return "" if spread_check.is_spread(connection) else "it does not have the tables of this database"
    except SQLAlchemyError as error:
        return str(getattr(error, "orig", error)).strip().partition("\n")[0]
    finally:
        at_node.dispose()


_START: Final = "start PostgreSQL there, and let this machine and this role reach it: see pg_dist_node and pg_hba.conf"
