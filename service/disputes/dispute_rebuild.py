"""Corrects the rows of the list of disputes, which follow from the streams of disputes."""

# DECISIONS 109

from sqlalchemy import Connection, Engine, delete, select

from service.database.engines import administering, reading
from service.disputes import disputes_table, stored_disputes
from service.disputes.disputes_table import disputes
from service.event_store.log_tables import IS_OF_DISPUTES, streams
from service.event_store.store import Log


def rebuild_rows(engine: Engine, log: Log) -> int:
    """Add missing rows of disputes, correct wrong rows, and remove rows of disputes that no stream records.

    Return the number of rows that were missing, wrong or surplus. Each table's rows are corrected in one transaction,
    and commands about the table's disputes wait until the transaction ends. *log* has the codec of disputes.

    Raises:
        StreamCorrupted: a stream of disputes is damaged; the rows of other tables may be corrected already.
    """
    with reading(engine) as connection:
        recorded = [bytes(one) for one in connection.scalars(select(streams.c.stream_id).where(IS_OF_DISPUTES))]
        listed = [bytes(one) for one in connection.scalars(select(disputes.c.stream_id).distinct())]
        tables = {stored_disputes.table_stream_of(connection, log, stream_id) for stream_id in recorded}
    wrong = 0
    for table_stream in sorted(tables | set(listed)):
        with administering(engine) as connection:
            wrong += _correct(connection, log, table_stream)
    return wrong


def _correct(connection: Connection, log: Log, table_stream: bytes) -> int:
    """Correct the rows of one table's disputes; return how many were missing, wrong or surplus."""
    stored = stored_disputes.locked(connection, log, table_stream)
    found = {row.dispute: row for row in disputes_table.rows_of(connection, table_stream)}
    ours = {number: disputes_table.row_of(table_stream, one) for number, one in stored.state.disputes.items()}
    wrong = [number for number in ours.keys() | found.keys() if ours.get(number) != found.get(number)]
    for number in wrong:
        is_it = (disputes.c.stream_id == table_stream, disputes.c.dispute == number)
        connection.execute(delete(disputes).where(*is_it))
        if number in ours:
            disputes_table.write_row(connection, table_stream, stored.state.disputes[number])
    return len(wrong)
