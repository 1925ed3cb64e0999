import pg from 'pg';
import { from as copyFrom, type CopyStreamQuery } from 'pg-copy-streams';
import { serviceRoles } from '#platform/database/roles/role-connection.ts';
import { identifiers, sessionSettings, type SequencePosition, type StoredTable } from './backup-store.ts';

/** Without rows in these tables an installation holds nothing that a restore could replace. */
const tablesOfContent = ['users', 'integrations', 'workflow_runs', 'queue_message', 'dead_letter'];

/** Whether the tables hold rows of somebody. */
export async function hasContent(client: pg.Client): Promise<boolean> {
  // The owner sees rows only as this role.
  await client.query('set local role forgewatch_backup');
  const queries = tablesOfContent.map((table) => `exists (select from ${table})`).join(' or ');
  const { rows } = await client.query<{ found: boolean }>(`select ${queries} as found`);
  await client.query('reset role');
  return rows[0]?.found !== false;
}

/** Whether the service runs on this database. */
export async function isInUse(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from pg_stat_activity where datname = current_database() and usename = any ($1)) as found`,
    [serviceRoles],
  );
  return rows[0]?.found === true;
}

/** What `closeTables` sets again. */
export interface OpenedTables {
  forced: string[];
  withTriggers: string[];
}

/**
 * Empties all tables and lets their owner load them, until the transaction ends or `closeTables` is called: without row-level
 * security, and without the effects of triggers, whose rows are in the backup.
 */
export async function openTables(client: pg.Client): Promise<OpenedTables> {
  await client.query(sessionSettings);
  const names = (condition: string) => tableNames(client, condition);
  const opened = {
    forced: await names('c.relforcerowsecurity'),
    withTriggers: await names(
      'exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)',
    ),
  };
  for (const name of opened.forced) await alter(client, name, 'no force row level security');
  for (const name of opened.withTriggers) await alter(client, name, 'disable trigger user');
  await client.query(
    `truncate ${identifiers(await names(`c.relname <> 'schema_migrations' and not c.relispartition`))}`,
  );
  return opened;
}

export async function closeTables(client: pg.Client, { forced, withTriggers }: OpenedTables): Promise<void> {
  for (const name of withTriggers) await alter(client, name, 'enable trigger user');
  for (const name of forced) await alter(client, name, 'force row level security');
}

async function tableNames(client: pg.Client, condition: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and ${condition}`,
  );
  return rows.map(({ name }) => name);
}

async function alter(client: pg.Client, table: string, change: string): Promise<void> {
  await client.query(`alter table ${identifiers([table])} ${change}`);
}

export async function makeQueueWeeks(client: pg.Client, weeks: readonly string[]): Promise<void> {
  await client.query('select queue_make_partitions($1::timestamptz[])', [weeks]);
}

export function loadRows(client: pg.Client, { table, columns }: StoredTable): CopyStreamQuery {
  return client.query(copyFrom(`copy ${identifiers([table])} (${identifiers(columns)}) from stdin`));
}

export async function setSequences(client: pg.Client, sequences: readonly SequencePosition[]): Promise<void> {
  for (const { sequence, position, isCalled } of sequences)
    await client.query('select setval($1::regclass, $2, $3)', [
      `public.${pg.escapeIdentifier(sequence)}`,
      position,
      isCalled,
    ]);
}

/** Ends what belonged to processes and browsers of the time of the backup. */
export async function endConnections(client: pg.Client): Promise<void> {
  // Browsers hold positions from after the backup. With another epoch they read everything again.
  await client.query('update realtime_stream set epoch = default');
  // No worker has the leases, and their messages did not end a worker.
  await client.query(
    `update queue_group set lease = null, leased_at = null, lease_until = null, ready_at = coalesce(ready_at, clock_timestamp())
     where lease is not null`,
  );
}

/** Statistics, without which the first plans would be those for empty tables. If it fails, autovacuum does it later. */
export async function analyze(client: pg.Client, tables: readonly StoredTable[]): Promise<void> {
  await client.query(`analyze ${identifiers(tables.map(({ table }) => table))}`).catch(() => {});
}
