-- What Chiptrail asks of Citus, on plain PostgreSQL. All rows stay in one database, so this stand-in can show which way the service takes,
-- and refuses the tables that Citus refuses; it can't show which statements over several nodes Citus plans, nor how fast they are.
CREATE SCHEMA citus_stand_in;
SET search_path = citus_stand_in;
CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char", colocationid integer, repmodel "char");
CREATE TABLE pg_dist_shard (logicalrelid regclass, shardid bigint PRIMARY KEY);
CREATE TABLE pg_dist_placement (shardid bigint PRIMARY KEY, groupid integer);
CREATE TABLE pg_dist_node (groupid integer PRIMARY KEY, nodename text, nodeport integer,
    noderole text DEFAULT 'primary', isactive boolean DEFAULT true, shouldhaveshards boolean DEFAULT true);
CREATE SEQUENCE shards START 102008;
CREATE FUNCTION create_distributed_table(
    placed regclass, by_column text, colocate_with text DEFAULT 'default', shard_count integer DEFAULT 4
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    beside integer := (SELECT colocationid FROM citus_stand_in.pg_dist_partition WHERE logicalrelid = to_regclass(colocate_with));
    parts integer := (SELECT count(*) FROM citus_stand_in.pg_dist_shard WHERE logicalrelid = to_regclass(colocate_with));
    wrong text;
BEGIN
    SELECT string_agg(flaw, '; ') INTO wrong FROM (
        SELECT 'relation ' || placed || ' is distributed already' FROM citus_stand_in.pg_dist_partition WHERE logicalrelid = placed
        UNION ALL SELECT 'relation ' || colocate_with || ' is not distributed' WHERE colocate_with <> 'none' AND beside IS NULL
        UNION ALL SELECT 'cannot distribute relation "' || placed || '" because it has triggers' FROM pg_trigger
            WHERE tgrelid = placed AND NOT tgisinternal AND current_setting('citus.enable_unsafe_triggers', true) IS DISTINCT FROM 'on'
        UNION ALL SELECT 'a key of "' || placed || '" must have the column ' || by_column FROM pg_index
            WHERE indrelid = placed AND indisunique AND NOT EXISTS (SELECT FROM pg_attribute
                WHERE attrelid = placed AND attname = by_column AND attnum = ANY (indkey))
        UNION ALL SELECT 'foreign key ' || conname || ' leaves the group of the table' FROM pg_constraint
            WHERE contype = 'f' AND conrelid = placed AND NOT EXISTS (SELECT FROM citus_stand_in.pg_dist_partition
                WHERE logicalrelid = confrelid AND colocationid = beside)
        UNION ALL SELECT '"' || placed || '" has a sequence' FROM pg_attrdef
            WHERE adrelid = placed AND pg_get_expr(adbin, adrelid) LIKE 'nextval%'
    ) AS flaws (flaw);
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION '%', wrong USING ERRCODE = 'feature_not_supported';
    END IF;
    INSERT INTO citus_stand_in.pg_dist_partition VALUES (placed, 'h', COALESCE(beside, nextval('citus_stand_in.shards')), 's');
    INSERT INTO citus_stand_in.pg_dist_shard SELECT placed, nextval('citus_stand_in.shards')
        FROM generate_series(1, COALESCE(NULLIF(parts, 0), shard_count));
    INSERT INTO citus_stand_in.pg_dist_placement SELECT shardid, groupid FROM (SELECT shardid, row_number() OVER (ORDER BY shardid) AS at
        FROM citus_stand_in.pg_dist_shard WHERE logicalrelid = placed) AS made
        JOIN (SELECT groupid, row_number() OVER (ORDER BY groupid) - 1 AS of FROM citus_stand_in.pg_dist_node WHERE shouldhaveshards) AS nodes
        ON nodes.of = made.at % (SELECT count(*) FROM citus_stand_in.pg_dist_node WHERE shouldhaveshards);
END $$;
CREATE FUNCTION get_shard_id_for_distribution_column(placed regclass, value bytea) RETURNS bigint LANGUAGE sql AS $$
    SELECT shardid FROM citus_stand_in.pg_dist_shard WHERE logicalrelid = placed ORDER BY shardid
    OFFSET get_byte(value, length(value) - 1) % (SELECT count(*) FROM citus_stand_in.pg_dist_shard WHERE logicalrelid = placed) LIMIT 1 $$;
-- All rows are in one table here, so the name of a shard is a call that returns the rows of this shard.
CREATE FUNCTION shard_rows(of_table anyelement, shard bigint) RETURNS SETOF anyelement LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT * FROM public.%1$s WHERE citus_stand_in.get_shard_id_for_distribution_column(%1$L, stream_id) = $1',
        pg_typeof(of_table)) USING shard;
END $$;
CREATE FUNCTION shard_name(placed regclass, shardid bigint) RETURNS text LANGUAGE sql AS $$
    SELECT format('citus_stand_in.shard_rows(NULL::%s, %s)', placed, shardid) $$;
CREATE FUNCTION truncate_local_data_after_distributing_table(placed regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN  -- The rows are not copies here, so they stay. A trigger would refuse to remove copies.
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = placed AND NOT tgisinternal AND tgtype & 32 <> 0 AND tgenabled <> 'D') THEN
        RAISE EXCEPTION '%: TRUNCATE refused', placed;
    END IF;
END $$;
GRANT USAGE ON SCHEMA citus_stand_in TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA citus_stand_in TO PUBLIC;
