import type pg from 'pg';
import { listApplied } from '#platform/database/migrate.ts';
import {
  beginSnapshot,
  listQueueWeeks,
  listReferences,
  listTables,
  listUnreadable,
  readRows,
  readSequences,
  type StoredTable,
} from './backup-store.ts';
import { dataFrames, noteFrame } from './container.ts';
import type { EndNote, Header } from './notes.ts';

export { recordBackup } from './backup-store.ts';

/** What is written so far. */
export interface Progress {
  table: string;
  tables: number;
  rows: number;
  bytes: number;
}

export const noProgress = (): Progress => ({ table: '', tables: 0, rows: 0, bytes: 0 });

/** The frames of a backup: one consistent state of the database, and the keys that open it. Updates `progress`. */
export async function* writeBackup(
  client: pg.Client,
  about: Pick<Header, 'version' | 'keys'>,
  progress: Progress,
): AsyncGenerator<Buffer> {
  const tables = await openSnapshot(client);
  yield noteFrame({
    format: 1,
    ...about,
    createdAt: new Date().toISOString(),
    migrations: await listApplied(client),
    queueWeeks: await listQueueWeeks(client),
    tables: tables.map(({ table }) => table),
  } satisfies Header);
  for (const table of tables) yield* writeTable(client, table, progress);
  // Positions are outside the snapshot. Later ones are above all numbers in the rows.
  yield noteFrame({ end: true, sequences: await readSequences(client) } satisfies EndNote);
  await client.query('commit');
}

/**
 * Begins the transaction of a backup. Returns the tables in the order of their references.
 * @throws when the backup would not be complete; the message says what to do
 */
export async function openSnapshot(client: pg.Client): Promise<StoredTable[]> {
  const tables = await tablesOf(client);
  await beginSnapshot(client, tables).catch((error: unknown) => refuse(client, error));
  return tables;
}

async function tablesOf(client: pg.Client): Promise<StoredTable[]> {
  if ((await listApplied(client)).length === 0)
    throw new Error('The database is empty: there is nothing to back up.');
  const unreadable = await listUnreadable(client);
  if (unreadable.length > 0)
    throw new Error(
      `Row-level security hides rows of ${unreadable.join(', ')} from a backup. For each, as the owner: call let_backup_read('…')`,
    );
  return inOrder(await listTables(client), await listReferences(client));
}

async function* writeTable(
  client: pg.Client,
  table: StoredTable,
  progress: Progress,
): AsyncGenerator<Buffer> {
  progress.table = table.table;
  yield noteFrame(table);
  const rows = readRows(client, table);
  for await (const chunk of rows) {
    progress.bytes += (chunk as Buffer).length;
    yield* dataFrames(chunk as Buffer);
  }
  yield noteFrame({ rows: rows.rowCount });
  progress.tables += 1;
  progress.rows += rows.rowCount;
}

const roleStates = ['42501', '42704', '22023'];

/** Says how the owner becomes the role that reads all rows. */
function refuse(client: pg.Client, error: unknown): never {
  const { code, message } = error as { code?: string; message: string };
  if (!roleStates.includes(code ?? '')) throw error;
  throw new Error(
    `${message}. A superuser has to run: grant forgewatch_backup to ${client.user ?? 'the owner'} with inherit false, set true (before Postgres 16: without "with …"), and create that role first if it is missing.`,
    { cause: error },
  );
}

/** Orders tables so that each follows those that its rows refer to. */
function inOrder(
  tables: readonly StoredTable[],
  references: readonly { from: string; to: string }[],
): StoredTable[] {
  const byName = new Map(tables.map((table) => [table.table, table]));
  const ordered = new Set<StoredTable>();
  const add = (table: StoredTable, path: readonly string[]): void => {
    if (path.includes(table.table)) throw new Error(`Tables refer to each other: ${path.join(', ')}`);
    for (const { from, to } of references) {
      const referenced = byName.get(to);
      if (from === table.table && to !== from && referenced !== undefined)
        add(referenced, [...path, table.table]);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table, []);
  return [...ordered];
}
