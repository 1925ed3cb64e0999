import { defineTable, type Table } from '#platform/database/rows/multi-row.ts';
import { fieldsWhere, type Columns, type KeyOf, type RowOf } from './columns.ts';
import { mergeOf } from './merge-rows.ts';

/** A kind of stored object, as its columns declare it. */
export interface StoredObject<Row, Key = Row> {
  /** Its key columns come first. */
  table: Table<Row>;
  /** The primary key as text, for keys of maps. */
  keyOf: (row: Key) => string;
  /** Merges two versions of one object, see `mergeOf`. */
  merge: (stored: Row, incoming: Row) => Row;
}

export function storedObject<Declared extends Columns>(
  tableName: string,
  columns: Declared,
): StoredObject<RowOf<Declared>, KeyOf<Declared>> {
  return { table: tableOf(tableName, columns), keyOf: keyTextOf(columns), merge: mergeOf(columns) };
}

function tableOf<Declared extends Columns>(name: string, columns: Declared): Table<RowOf<Declared>> {
  const types = Object.fromEntries(Object.entries(columns).map(([field, { type }]) => [field, type]));
  return defineTable<RowOf<Declared>>(name, keyFields(columns).length, types as never);
}

function keyTextOf<Declared extends Columns>(columns: Declared): (row: KeyOf<Declared>) => string {
  const [first = '', ...others] = keyFields(columns);
  return (row) => {
    const values = row as Record<string, unknown>;
    let text = String(values[first]);
    for (const field of others) text += ` ${String(values[field])}`;
    return text;
  };
}

function keyFields(columns: Columns): string[] {
  return fieldsWhere(columns, ({ merge }) => merge === 'key');
}
