import assert from 'node:assert/strict';
import type pg from 'pg';
import type { TestDatabase } from './test-database.ts';

type Owner = Pick<TestDatabase, 'asOwner'>;

/** Columns and the values that rows must have there; none for all rows. */
type Where = Readonly<Record<string, string | number | boolean | Buffer | Date | null>>;

/** For what the product tells nobody, such as rows that it must have deleted. */
export async function countRows({ asOwner }: Owner, table: string, where: Where = {}): Promise<number> {
  return (await asOwner(`select from ${table} ${conditionsOf(where)}`, Object.values(where))).length;
}

/** For what the product tells nobody, such as when a task is due. */
export function readRows<Row extends pg.QueryResultRow>(
  { asOwner }: Owner,
  table: string,
  where: Where = {},
): Promise<Row[]> {
  return asOwner<Row>(`select * from ${table} ${conditionsOf(where)}`, Object.values(where));
}

/** All that the rows hold, bytes as Latin-1, to look for what must not be there. */
export async function storedText(database: Owner, table: string, where: Where = {}): Promise<string> {
  const rows = await readRows<Record<string, unknown>>(database, table, where);
  assert.ok(rows.length > 0, `no row of ${table} to look at`);
  const values = rows.flatMap((row) => Object.values(row));
  return values
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)))
    .join('\n');
}

export async function deleteRows({ asOwner }: Owner, table: string, where: Where = {}): Promise<void> {
  await asOwner(`delete from ${table} ${conditionsOf(where)}`, Object.values(where));
}

/** Sets columns as no action does, such as a count that is nearly used up. Fails when there is no such row. */
export async function updateRows(
  { asOwner }: Owner,
  table: string,
  set: Where,
  where: Where = {},
): Promise<void> {
  const columns = Object.keys(set).map((column, index) => `${column} = $${index + 1}`);
  const changed = await asOwner(
    `update ${table} set ${columns.join(', ')} ${conditionsOf(where, columns.length)} returning 1`,
    [...Object.values(set), ...Object.values(where)],
  );
  assert.ok(changed.length > 0, `no row of ${table} to change`);
}

/**
 * Moves a stored time into the past, as only waiting would: `ageRows(database, 'incidents.closed_at', '91 days')`. Fails
 * when there is no such row.
 */
export async function ageRows(
  { asOwner }: Owner,
  column: `${string}.${string}`,
  by: string,
  where: Where = {},
): Promise<void> {
  const [table, time] = column.split('.');
  const changed = await asOwner(
    `update ${table} set ${time} = ${time} - $1::interval ${conditionsOf(where, 1)} returning 1`,
    [by, ...Object.values(where)],
  );
  assert.ok(changed.length > 0, `no row of ${table} to move into the past`);
}

/** Its parameters come after `before` others. */
function conditionsOf(where: Where, before = 0): string {
  const conditions = Object.keys(where).map(
    (column, index) => `${column} is not distinct from $${before + index + 1}`,
  );
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
