"""Erasure: a sealed value may be deleted only if the last event of the value's stream erases the value."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Allow the deletion of a row of `sealed` if the last event of the same stream erases the row's value."""
    if op.get_bind().dialect.name == "postgresql":
        _let_postgresql()
    else:
        _let_sqlite()


def downgrade() -> None:
    """Raise an error: an erased value can't be restored."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _let_postgresql() -> None:
    op.execute("DROP TRIGGER sealed_only_grows ON sealed")
    op.execute("""
        CREATE TRIGGER sealed_only_grows BEFORE UPDATE OR TRUNCATE ON sealed
        FOR EACH STATEMENT EXECUTE FUNCTION chiptrail_only_grows()""")
    op.execute("ALTER TABLE sealed ENABLE ALWAYS TRIGGER sealed_only_grows")
    op.execute("""
        CREATE FUNCTION chiptrail_erased_on_record() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            last jsonb;
        BEGIN
            SELECT convert_from(events.leaf, 'UTF8')::jsonb INTO last
            FROM streams JOIN events ON events.stream_id = streams.stream_id AND events.position = streams.head
            WHERE streams.stream_id = OLD.stream_id;
            IF last ->> 'type' = 'value_erased'
            AND last #> '{pub,position}' = to_jsonb(OLD.position) AND last #>> '{pub,field}' = OLD.field THEN
                RETURN OLD;
            END IF;
            RAISE EXCEPTION 'a sealed value is deleted with the event that erases it: DELETE refused'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = 'sealed_only_grows';
        END $$""")
    op.execute("""
        CREATE TRIGGER sealed_only_grows_delete BEFORE DELETE ON sealed
        FOR EACH ROW EXECUTE FUNCTION chiptrail_erased_on_record()""")
    op.execute("ALTER TABLE sealed ENABLE ALWAYS TRIGGER sealed_only_grows_delete")


def _let_sqlite() -> None:
    op.execute("DROP TRIGGER sealed_only_grows_delete")
    op.execute("""
        CREATE TRIGGER sealed_only_grows_delete BEFORE DELETE ON sealed BEGIN
            SELECT RAISE(ABORT, 'sealed_only_grows: DELETE refused')
            WHERE NOT EXISTS (
                SELECT 1 FROM streams JOIN events
                ON events.stream_id = streams.stream_id AND events.position = streams.head
                WHERE streams.stream_id = OLD.stream_id AND json_valid(CAST(events.leaf AS TEXT))
                AND json_extract(CAST(events.leaf AS TEXT), '$.type') = 'value_erased'
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.position') = OLD.position
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.field') = OLD.field
            );
        END""")
