import { defineTable, type Table } from '#platform/database/multi-row.ts';
import { fieldsWhere, type Columns, type KeyOf, type RowOf } from './columns.ts';

/** The table of a stored object. Its key columns come first. */
export function tableOf<Declared extends Columns>(name: string, columns: Declared): Table<RowOf<Declared>> {
  const types = Object.fromEntries(Object.entries(columns).map(([field, { type }]) => [field, type]));
  return defineTable<RowOf<Declared>>(name, keyFields(columns).length, types as never);
}

/** Returns the function from a row to its primary key as text, for keys of maps. */
export function keyTextOf<Declared extends Columns>(columns: Declared): (row: KeyOf<Declared>) => string {
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
