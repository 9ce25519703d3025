"""Rows in `seats` for the players who left, so that an owner's statement also has the tables that the owner left."""

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

LAST_INVITATION = 1_000_000_000
LEFT, TAKEN = b'"type":"seat_left"', b'"type":"seat_taken"'
ADD = sa.text("INSERT INTO seats (stream_id, seat, player) VALUES (:stream_id, :seat, :player)")


def upgrade() -> None:
    """Add a row with the player for each event by which a player left; a leaf that can't be decoded adds no row."""
    connection = op.get_bind()
    has_type = "instr(leaf, :type) > 0" if connection.dialect.name == "sqlite" else "position(:type in leaf) > 0"
    bound = sa.bindparam("type", type_=sa.LargeBinary)
    left = sa.text(f"SELECT stream_id, position, leaf FROM events WHERE {has_type}").bindparams(bound)  # noqa: S608
    taken = sa.text(
        f"SELECT leaf FROM events WHERE stream_id = :stream_id AND position < :position AND {has_type}"  # noqa: S608
        " ORDER BY position DESC"
    ).bindparams(bound)
    rows = []
    for stream_id, position, leaf in connection.execute(left, {"type": LEFT}).all():
        place = {"stream_id": stream_id, "position": position, "type": TAKEN}
        seats = [pub.get("seat") for pub in _decoded([leaf], "seat_left")]
        earlier = _decoded(connection.scalars(taken, place), "seat_taken") if seats else iter(())
        players = (pub.get("player") for pub in earlier if pub.get("seat") == seats[0])
        if isinstance(player := next(players, None), str):
            rows.append({"stream_id": stream_id, "seat": LAST_INVITATION + position, "player": player})
    if rows:
        connection.execute(ADD, rows)


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _decoded(leaves: Any, kind: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401 -- rows of a result
    for leaf in leaves:
        try:
            event = json.loads(bytes(leaf))
        except ValueError:
            continue
        if isinstance(event, dict) and event.get("type") == kind and isinstance(event.get("pub"), dict):
            yield event["pub"]
