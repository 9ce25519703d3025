"""The rows of players who left are the same from commands, from a rebuild, and from the migration that added them."""

import pytest
from sqlalchemy import Engine, text

from service.audit.log_audit import verify
from service.database.engines import administering, migrating, reading
from service.database.schema_check import migrate
from service.entropy import Entropy
from service.games.common_commands import LeaveSeat, TakeSeat
from service.projections.rebuild import projection_rebuild
from service.projections.seats_and_invitations import LAST_INVITATION, seats_ever_of, seats_of
from tests.audit.forging import CODEC
from tests.play.tables import House, Table

BEFORE = "0018"


def test_rows_of_players_who_left(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(engine)
    Table(house, 2).seated()
    table = Table(house, 1).open()
    guest, other = (f"own_{number:032x}" for number in (8, 9))
    left = []
    for player, seat, leaves in ((guest, 2, True), (other, 3, True), (guest, 1, True), (other, 2, False)):
        table.do(player, TakeSeat(by="", player=player, chips=table.state.options.buy_in, seat=seat))
        if leaves:
            table.do(player, LeaveSeat(by=""))
            left.append((LAST_INVITATION + table.table_at.position, player))
    assert _rows(engine) == left
    with reading(engine) as connection:
        assert connection.scalars(seats_of(guest)).all() == []
        assert {*connection.execute(seats_ever_of(guest)).scalars()} == {table.stream_id}

    _forget(engine)
    assert verify(engine, house.log, CODEC).has_failed
    migrate(engine)
    assert _rows(engine) == left

    monkeypatch.setattr(projection_rebuild, "_MOST_ROWS", 2)
    projection_rebuild.rebuild(engine, house.log, Entropy())
    assert _rows(engine) == left
    assert verify(engine, house.log, CODEC).findings == ()


def _rows(engine: Engine) -> list[tuple[int, str]]:
    statement = text(f"SELECT seat, player FROM seats WHERE seat > {LAST_INVITATION} ORDER BY seat")  # noqa: S608
    with reading(engine) as connection:
        return [(row.seat, row.player) for row in connection.execute(statement)]


def _forget(engine: Engine) -> None:
    """Restore the state before the migration: no rows of players who left, and the revision before the migration."""
    with administering(engine) as connection:
        connection.execute(text(f"DELETE FROM seats WHERE seat > {LAST_INVITATION}"))  # noqa: S608
    with migrating(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": BEFORE})
