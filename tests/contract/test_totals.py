"""The totals of each kind of account equal the balances in the tables' states; all totals sum to zero."""

from collections import Counter
from typing import Final

from sqlalchemy import Engine, select, text

from service.database.engines import administering, reading
from service.ledger import HOUSE
from service.projections import statements, winnings
from service.projections.projection_tables import transfers
from service.projections.totals import totals
from tests.audit.forging import FINISHED, LIVE, Forger
from tests.play.tables import House


def test_totals_equal_the_balances_of_the_tables(engine: Engine) -> None:
    house: House = Forger(engine).house
    balances, accounts, postings = Counter[str](), Counter[str](), Counter[str]()
    with reading(engine) as connection:
        found = totals(connection)
        for stream_id in (FINISHED, LIVE):
            table_at = house.tables.current(connection, stream_id)
            assert table_at is not None
            for account, balance in table_at.state.balances.items():
                balances[account.partition(":")[0]] += balance
                accounts[account.partition(":")[0]] += 1
        for source, target in connection.execute(select(transfers.c.source, transfers.c.target)):
            postings.update(account.partition(":")[0] for account in (source, target))
    assert {one.kind: one.balance for one in found} == dict(balances)
    assert {one.kind: one.accounts for one in found} == dict(accounts)
    assert {one.kind: one.postings for one in found} == dict(postings)
    assert [one.kind for one in found] == sorted(balances)
    assert sum(one.balance for one in found) == 0


def test_an_empty_log_has_no_totals(engine: Engine) -> None:
    with reading(engine) as connection:
        assert totals(connection) == ()


def test_winnings_read_no_transfers_but_those_with_the_house(engine: Engine) -> None:
    house: House = Forger(engine).house
    explain = "EXPLAIN QUERY PLAN" if engine.dialect.name == "sqlite" else "EXPLAIN"
    with administering(engine) as connection:
        connection.execute(text("ANALYZE transfers"))
    with reading(house.engine) as connection:
        values = {"stream_id": FINISHED, "position": 1_000}
        plan = str(connection.execute(text(f"{explain} {winnings._WITH_HOUSE}"), values).all())
    assert "ix_transfers_with_house" in plan


def test_the_statement_of_the_house_reads_no_transfers_but_those_with_the_house(engine: Engine) -> None:
    house: House = Forger(engine).house
    is_sqlite = engine.dialect.name == "sqlite"
    with administering(engine) as connection:
        connection.execute(text("ANALYZE transfers"))
    with reading(house.engine) as connection:
        of_table = connection.execute(select(transfers).where(transfers.c.stream_id == FINISHED)).all()
        before = 0 if is_sqlite else connection.scalar(_READ) or 0
        lines = statements.lines(connection, FINISHED, HOUSE, (0, 0), 1_000)
        read = len(lines) if is_sqlite else (connection.scalar(_READ) or 0) - before
        values = {"stream_id": FINISHED, "position": 0, "ordinal": 0, "limit": 1_000}
        explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
        plan = str(connection.execute(text(f"{explain} {statements._LINES_OF_HOUSE}"), values).all())
    assert len(lines) == sum(HOUSE in {one.source, one.target} for one in of_table) < len(of_table)
    assert read == len(lines), "PostgreSQL runs a plan for any values, and EXPLAIN shows one for these"
    assert "ix_transfers_with_house" in plan


_READ: Final = text("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'transfers'")
"""The rows of transfers that the transaction has read so far."""
