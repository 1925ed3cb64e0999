import type { Tx } from '#platform/database/database.ts';
import { headerBytes } from '#platform/runtime/secrets/sealing.ts';
import type { SealedColumn } from './sealed-columns.ts';

/** The text of each column of the key. */
export type Row = Readonly<Record<string, string>>;

/** A value without its content. */
export interface Head {
  row: Row;
  /** The start of the sealed value, which identifies it. */
  header: Buffer;
}

/** Values whose heads are read at once. */
export const headsAtOnce = 1000;

/** Integrations, also deleted ones whose rows are not purged yet. The owner lists them without a scope. */
export function listIntegrations(tx: Tx): Promise<string[]> {
  return tx.column<string>(
    `select integration_id::text as id from integrations union
     select group_id::text from deleted_integrations order by id`,
  );
}

/** The names of sessions, see `processName`. Those of a connection pooler have others. */
export function listProcesses(tx: Tx, like: string): Promise<string[]> {
  return tx.column<string>(
    `select distinct application_name from pg_stat_activity
     where datname = current_database() and application_name like $1`,
    [like],
  );
}

/** The values after a row, in the order of the key. */
export async function listHeads(
  tx: Tx,
  { table, column, key }: SealedColumn,
  after: Row | undefined,
): Promise<Head[]> {
  const names = Object.keys(key);
  const follows = `and (${names.map(qualified).join(', ')}) > (${placesOf(key, '')})`;
  const rows = await tx.rows<{ sealed_header: Buffer } & Record<string, never>>(
    `select ${names.map((name) => `t.${name}::text as ${name}`).join(', ')},
       substr(t.${column}, 1, ${headerBytes}) as sealed_header
     from ${table} t where t.${column} is not null ${after === undefined ? '' : follows}
     order by ${names.map(qualified).join(', ')} limit ${headsAtOnce}`,
    after === undefined ? [] : names.map((name) => after[name]),
  );
  return rows.map(({ sealed_header: header, ...row }) => ({ row, header }));
}

/** The whole values of rows, as far as they still exist. */
export async function readValues(
  tx: Tx,
  { table, column, key }: SealedColumn,
  rows: readonly Row[],
): Promise<{ row: Row; sealed: Buffer }[]> {
  const names = Object.keys(key);
  const found = await tx.rows<{ sealed_value: Buffer } & Record<string, never>>(
    `select ${names.map((name) => `t.${name}::text as ${name}`).join(', ')}, t.${column} as sealed_value
     from unnest(${placesOf(key, '[]')}) v (${names.join(', ')})
     join ${table} t on ${matches(names)} where t.${column} is not null`,
    columnsOf(names, rows),
  );
  return found.map(({ sealed_value: sealed, ...row }) => ({ row, sealed }));
}

/**
 * Replaces values that are still those with the header. Leaves out rows that another transaction has locked: it waits for nobody,
 * so it cannot take part in a deadlock. Returns how many it replaced.
 */
export function replaceValues(
  tx: Tx,
  { table, column, key }: SealedColumn,
  values: readonly (Head & { sealed: Buffer })[],
): Promise<number> {
  const names = Object.keys(key);
  const [header, sealed] = [`$${names.length + 1}::bytea[]`, `$${names.length + 2}::bytea[]`];
  const isUnchanged = `${matches(names)} and substr(t.${column}, 1, ${headerBytes}) = v.header`;
  return tx.execute(
    `with value as (
       select * from unnest(${placesOf(key, '[]')}, ${header}, ${sealed}) v (${names.join(', ')}, header, sealed)
     ), locked as materialized (
       select ${names.map((name) => `v.${name}`).join(', ')}, v.header, v.sealed
       from value v join ${table} t on ${isUnchanged} for no key update of t skip locked
     )
     update ${table} t set ${column} = v.sealed from locked v where ${isUnchanged}`,
    [
      ...columnsOf(
        names,
        values.map(({ row }) => row),
      ),
      values.map((value) => value.header),
      values.map((value) => value.sealed),
    ],
  );
}

const qualified = (name: string): string => `t.${name}`;

const matches = (names: readonly string[]): string =>
  names.map((name) => `t.${name} = v.${name}`).join(' and ');

/** `$1::uuid, $2::bigint` and so on. */
const placesOf = (key: SealedColumn['key'], suffix: string): string =>
  Object.values(key)
    .map((type, index) => `$${index + 1}::${type}${suffix}`)
    .join(', ');

const columnsOf = (names: readonly string[], rows: readonly Row[]): string[][] =>
  names.map((name) => rows.map((row) => row[name]!));
