import pg from 'pg';
import { to as copyTo, type CopyToStreamQuery } from 'pg-copy-streams';

/** Of one process, older than the backup when it is restored, or a cache. Restoring leaves them empty. */
const leftOut = [
  'job_log_parts',
  'job_logs',
  'last_backup',
  'realtime_outbox',
  'schema_migrations',
  'session_refresh',
  'ws_connection',
  'ws_node',
];

/** A table whose rows a backup holds, with the columns that are stored and not computed. */
export interface StoredTable {
  table: string;
  columns: string[];
}

/** All tables of the schema but those left out. Partitions belong to their table. */
export async function listTables(client: pg.Client): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all ($1)
     group by c.relname order by c.relname`,
    [leftOut],
  );
  return rows;
}

/** Pairs of a table and a table that its rows refer to. */
export async function listReferences(client: pg.Client): Promise<{ from: string; to: string }[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select distinct f.relname as from, t.relname as to
     from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
     where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
  );
  return rows;
}

/** Tables with row-level security whose rows the role of backups would not see. */
export async function listUnreadable(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relrowsecurity
       and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'backup_reads')`,
  );
  return rows.map(({ name }) => name);
}

/** One time in each week that the queue has partitions of. */
export async function listQueueWeeks(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ time: Date }>(
    `select distinct to_timestamp(right(c.relname, 7), 'IYYY_IW') + interval '3 days' as time
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('queue_message'::regclass, 'queue_segment'::regclass) order by 1`,
  );
  return rows.map(({ time }) => time.toISOString());
}

export interface SequencePosition {
  sequence: string;
  position: string;
  isCalled: boolean;
}

export async function readSequences(client: pg.Client): Promise<SequencePosition[]> {
  const { rows } = await client.query<{ sequence: string }>(
    `select relname as sequence from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S' and relname <> 'schema_migrations_id_seq' order by 1`,
  );
  const positions: SequencePosition[] = [];
  for (const { sequence } of rows) {
    const found = await client.query<SequencePosition>(
      `select last_value as position, is_called as "isCalled" from ${pg.escapeIdentifier(sequence)}`,
    );
    positions.push(...found.rows.map((row) => ({ ...row, sequence })));
  }
  return positions;
}

/**
 * Begins a transaction that reads everything as of one moment. The tables are locked before that moment: rows of a table that is
 * emptied later would be missing.
 */
export async function beginSnapshot(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  await client.query('set local role forgewatch_backup');
  await client.query(sessionSettings);
  const names = tables.map(({ table }) => pg.escapeIdentifier(table)).join(', ');
  await client.query(`lock table ${names} in access share mode`);
}

/** Rows are written alike on every server, and a long table takes as long as it takes. */
export const sessionSettings = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC'; set local bytea_output = 'hex';
  set local extra_float_digits = 1; set local client_encoding = 'UTF8'; set local search_path = public, pg_temp`;

/** Also for partitioned tables, which Postgres copies as queries only. */
export function readRows(client: pg.Client, { table, columns }: StoredTable): CopyToStreamQuery {
  return client.query(copyTo(`copy (select ${identifiers(columns)} from ${identifiers([table])}) to stdout`));
}

export function identifiers(names: readonly string[]): string {
  return names.map((name) => pg.escapeIdentifier(name)).join(', ');
}

/** For metrics and doctor. */
export async function recordBackup(owner: pg.Client): Promise<void> {
  await owner.query(
    'insert into last_backup (finished_at) values (now()) on conflict (only_row) do update set finished_at = excluded.finished_at',
  );
}
