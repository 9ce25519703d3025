"""The totals of all accounts equal the balances in the tables' states, and sum to zero."""

from collections import Counter

from sqlalchemy import Engine

from service.database.engines import reading
from service.projections.totals import totals
from tests.audit.forging import FINISHED, LIVE, Forger
from tests.play.tables import House


def test_totals_equal_the_balances_of_the_tables(engine: Engine) -> None:
    house: House = Forger(engine).house
    balances: Counter[str] = Counter()
    with reading(engine) as connection:
        found = totals(connection)
        for stream_id in (FINISHED, LIVE):
            table_at = house.tables.current(connection, stream_id)
            assert table_at is not None
            for account, balance in table_at.state.balances.items():
                balances[account.partition(":")[0]] += balance
    assert {one.kind: one.balance for one in found} == dict(balances)
    assert sum(one.balance for one in found) == 0


def test_an_empty_log_has_no_totals(engine: Engine) -> None:
    with reading(engine) as connection:
        assert totals(connection) == ()
