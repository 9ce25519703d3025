"""Erasure in disputes: a text may be deleted if the last event of its stream, or of `service/log`, erases the text."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Allow the deletion of a text that the last event of the stream, a `dispute_value_erased`, erases.

    Also allow the deletion of a text of imported disputes that the last event of `service/log` erases.
    """
    if op.get_bind().dialect.name == "postgresql":
        _let_postgresql()
    else:
        _let_sqlite()


def downgrade() -> None:
    """Raise an error: an erased value can't be restored."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _let_postgresql() -> None:
    op.execute("""
        CREATE OR REPLACE FUNCTION chiptrail_erased_on_record() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            last jsonb;
        BEGIN
            SELECT convert_from(events.leaf, 'UTF8')::jsonb INTO last
            FROM streams JOIN events ON events.stream_id = streams.stream_id AND events.position = streams.head
            WHERE streams.stream_id = OLD.stream_id;
            IF last ->> 'type' IN ('value_erased', 'dispute_value_erased')
            AND last #> '{pub,position}' = to_jsonb(OLD.position) AND last #>> '{pub,field}' = OLD.field THEN
                RETURN OLD;
            END IF;
            SELECT convert_from(events.leaf, 'UTF8')::jsonb INTO last
            FROM streams JOIN events ON events.stream_id = streams.stream_id AND events.position = streams.head
            WHERE streams.stream_id = decode(repeat('00', 16), 'hex');
            IF last ->> 'type' = 'value_erased_at'
            AND last #>> '{pub,table}'
                IN ('tbl_' || encode(OLD.stream_id, 'hex'), 'dsp_' || encode(OLD.stream_id, 'hex'))
            AND last #> '{pub,position}' = to_jsonb(OLD.position) AND last #>> '{pub,field}' = OLD.field THEN
                RETURN OLD;
            END IF;
            RAISE EXCEPTION 'a sealed value is deleted with the event that erases it: DELETE refused'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = 'sealed_only_grows';
        END $$""")


def _let_sqlite() -> None:
    op.execute("DROP TRIGGER sealed_only_grows_delete")
    op.execute("""
        CREATE TRIGGER sealed_only_grows_delete BEFORE DELETE ON sealed BEGIN
            SELECT RAISE(ABORT, 'sealed_only_grows: DELETE refused')
            WHERE NOT EXISTS (
                SELECT 1 FROM streams JOIN events
                ON events.stream_id = streams.stream_id AND events.position = streams.head
                WHERE streams.stream_id = OLD.stream_id AND json_valid(CAST(events.leaf AS TEXT))
                AND json_extract(CAST(events.leaf AS TEXT), '$.type') IN ('value_erased', 'dispute_value_erased')
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.position') = OLD.position
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.field') = OLD.field
            ) AND NOT EXISTS (
                SELECT 1 FROM streams JOIN events
                ON events.stream_id = streams.stream_id AND events.position = streams.head
                WHERE streams.stream_id = zeroblob(16) AND json_valid(CAST(events.leaf AS TEXT))
                AND json_extract(CAST(events.leaf AS TEXT), '$.type') = 'value_erased_at'
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.table')
                    IN ('tbl_' || lower(hex(OLD.stream_id)), 'dsp_' || lower(hex(OLD.stream_id)))
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.position') = OLD.position
                AND json_extract(CAST(events.leaf AS TEXT), '$.pub.field') = OLD.field
            );
        END""")
