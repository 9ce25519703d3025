"""Changes for a database on several nodes: no sequence; a trigger's message begins with the constraint's name."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Drop the sequence of `service_keys`, and replace the functions of triggers; SQLite has neither."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.alter_column("service_keys", "slot", existing_type=sa.Integer, server_default=None)
    op.execute("DROP SEQUENCE IF EXISTS service_keys_slot_seq")
    _name_what_only_grows()
    _name_the_gap()
    _name_what_is_erased()


def downgrade() -> None:
    """Raise an error: no migration of the log can be undone."""
    raise RuntimeError("the log is never undone; go back by restoring a backup")


def _name_what_only_grows() -> None:
    # A shard's name is the table's name, `_` and a number; the message has only the table's name.
    op.execute(r"""
        CREATE OR REPLACE FUNCTION chiptrail_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            named text := regexp_replace(TG_TABLE_NAME, '_\d+$', '');
        BEGIN
            RAISE EXCEPTION '%_only_grows: % refused', named, TG_OP
                USING ERRCODE = 'restrict_violation', CONSTRAINT = named || '_only_grows';
        END $$""")


def _name_the_gap() -> None:
    op.execute("""
        CREATE OR REPLACE FUNCTION chiptrail_events_run_on() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            run record;
        BEGIN
            FOR run IN
                SELECT stream_id, min(position) AS first, max(position) AS last, count(*) AS number
                FROM added GROUP BY stream_id
            LOOP
                IF run.last - run.first + 1 <> run.number
                OR NOT EXISTS (SELECT 1 FROM streams WHERE stream_id = run.stream_id AND head = run.last)
                OR run.first > 1 AND NOT EXISTS (
                    SELECT 1 FROM events WHERE stream_id = run.stream_id AND position = run.first - 1
                ) THEN
                    RAISE EXCEPTION 'events_run_on: events must run on without a gap, up to the head of their stream'
                        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_run_on';
                END IF;
            END LOOP;
            RETURN NULL;
        END $$""")


def _name_what_is_erased() -> None:
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
            RAISE EXCEPTION 'sealed_only_grows: a sealed value is deleted with the event that erases it: DELETE refused'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = 'sealed_only_grows';
        END $$""")
