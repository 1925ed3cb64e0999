import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { migrateTo } from '#platform/database/migrate-to.ts';
import { startLock } from '#platform/database/migrate.ts';
import { listTables, type StoredTable } from './backup-store.ts';
import { DamagedBackup, type Frame } from './container.ts';
import { asRows, asTable, isEnd, type EndNote, type Header } from './notes.ts';
import {
  analyze,
  closeTables,
  endConnections,
  hasContent,
  isInUse,
  loadRows,
  makeQueueWeeks,
  openTables,
  setSequences,
} from './restore-store.ts';
import type { Progress } from './write-backup.ts';

/** A database that a backup cannot be restored into. The message says what to do. */
class UnfitTarget extends Error {}

export interface Restore {
  /** A connection of the owner to an empty database. */
  client: pg.Client;
  header: Header;
  /** The frames after the header. */
  frames: AsyncGenerator<Frame>;
  progress: Progress;
  /** Called when everything is verified and loaded, before it becomes visible. */
  beforeCommit(): Promise<void>;
}

/** Loads a backup in one transaction: everything becomes visible together, after the last byte was verified. */
export async function restoreBackup(restore: Restore): Promise<void> {
  const { client, header } = restore;
  // A service that is started meanwhile waits.
  await client.query('select pg_advisory_lock($1)', [startLock]);
  if (await isInUse(client))
    throw new UnfitTarget(
      'Forgewatch runs on this database. Stop all its processes and connection poolers, then restore again.',
    );
  if (!(await migrateTo(client, header.migrations)))
    throw new UnfitTarget(
      'The schema of this database is of another version than the backup. Restore into a new, empty database (DATABASE_URL) or a new DATA_DIR. The next start upgrades it.',
    );
  await client.query('begin');
  if (await hasContent(client))
    throw new UnfitTarget(
      'This installation holds data, and restore replaces nothing. Restore into a new, empty database (DATABASE_URL) or a new DATA_DIR.',
    );
  const tables = await listTables(client);
  const foreign = tables.filter(({ table }) => !header.tables.includes(table));
  if (foreign.length > 0)
    throw new UnfitTarget(
      `This database has tables that the backup does not hold (${foreign.map(({ table }) => table).join(', ')}). Restore into a new, empty database.`,
    );
  await load(restore, tables);
  await restore.beforeCommit();
  await client.query('commit');
  await analyze(client, tables);
}

async function load(
  { client, header, frames, progress }: Restore,
  tables: readonly StoredTable[],
): Promise<void> {
  const opened = await openTables(client);
  await makeQueueWeeks(client, header.queueWeeks);
  const waiting = new Map(tables.map((table) => [table.table, new Set(table.columns)]));
  let end: EndNote | undefined;
  while (end === undefined) {
    const note = await nextNote(frames);
    if (isEnd(note)) end = note;
    else {
      const table = asTable(note);
      const columns = waiting.get(table.table);
      if (columns === undefined || !table.columns.every((column) => columns.has(column)))
        throw new DamagedBackup(`holds a table that its schema does not have (${table.table})`);
      waiting.delete(table.table);
      await loadTable(client, table, frames, progress);
    }
  }
  if (waiting.size > 0) throw new DamagedBackup(`lacks tables (${[...waiting.keys()].join(', ')})`);
  // Reads to the end of the file, where its last part is verified.
  if (!(await frames.next()).done) throw new DamagedBackup('goes on after its end');
  await setSequences(client, end.sequences);
  await endConnections(client);
  await closeTables(client, opened);
}

async function nextNote(frames: AsyncGenerator<Frame>): Promise<unknown> {
  const { value, done } = await frames.next();
  if (done === true || value.kind !== 'note') throw new DamagedBackup('ends early');
  return value.value;
}

async function loadTable(
  client: pg.Client,
  table: StoredTable,
  frames: AsyncGenerator<Frame>,
  progress: Progress,
): Promise<void> {
  progress.table = table.table;
  let after: unknown;
  const data = async function* (): AsyncGenerator<Buffer> {
    for (;;) {
      const { value, done } = await frames.next();
      if (done === true) throw new DamagedBackup('ends early');
      if (value.kind === 'note') {
        after = value.value;
        return;
      }
      progress.bytes += value.bytes.length;
      yield value.bytes;
    }
  };
  const rows = loadRows(client, table);
  await pipeline(Readable.from(data()), rows);
  if (rows.rowCount !== asRows(after).rows)
    throw new DamagedBackup(`holds another number of rows of ${table.table} than it says`);
  progress.tables += 1;
  progress.rows += rows.rowCount;
}
