import { types, type CustomTypesConfig } from 'pg';

/**
 * Statements over several rows at once: one text for each table and number of rows, prepared by name. A VALUES list with a
 * parameter for each cell is several times faster than arrays with unnest or one JSON document.
 */
export interface TableShape<Row> {
  name: string;
  /** Field of the row to Postgres type; the column is the field in snake case. The key comes first. */
  columns: Record<keyof Row & string, ColumnType>;
  keyLength: number;
}

export type ColumnType =
  | 'uuid'
  | 'bigint'
  | 'integer'
  | 'boolean'
  | 'text'
  | 'bytea'
  | 'timestamptz'
  | 'json'
  | 'text[]'
  | 'bigint[]'
  | 'integer[]';

export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Selects the rows whose keys are in a VALUES list of `count` keys. */
export function selectByKeys<Row>(shape: TableShape<Row>, count: number): string {
  const keys = Object.entries<ColumnType>(shape.columns).slice(0, shape.keyLength);
  const names = keys.map(([field]) => columnOf(field));
  return `select ${columnList(shape, 't.')} from ${shape.name} t
    join (values ${placeholders(keys, count)}) k (${names.join(', ')}) on ${names.map((name) => `t.${name} = k.${name}`).join(' and ')}`;
}

/** Inserts `count` rows; a row that exists gets `conflict` applied, or else every column replaced. */
export function upsert<Row>(
  shape: TableShape<Row>,
  count: number,
  sums: Record<string, string> = {},
): string {
  const all = Object.entries<ColumnType>(shape.columns);
  const keys = all.slice(0, shape.keyLength).map(([field]) => columnOf(field));
  const others = all.slice(shape.keyLength).map(([field]) => columnOf(field));
  const isSum = Object.keys(sums).length > 0;
  const assignments = isSum
    ? Object.entries(sums).map(([column, expression]) => `${column} = ${expression}`)
    : others.map((column) => `${column} = excluded.${column}`);
  return `insert into ${shape.name} as t (${columnList(shape)}) values ${placeholders(all, count)}
    on conflict (${keys.join(', ')}) do update set ${assignments.join(', ')}`;
}

export function columnList<Row>(shape: TableShape<Row>, prefix = ''): string {
  return Object.keys(shape.columns)
    .map((field) => prefix + columnOf(field))
    .join(', ');
}

function placeholders(columns: [string, ColumnType][], count: number): string {
  const row = (index: number) =>
    columns.map(([, type], column) => `$${index * columns.length + column + 1}::${type}`).join(', ');
  return Array.from({ length: count }, (_, index) => `(${row(index)})`).join(', ');
}

/** The parameters of `upsert`, or with `keyLength` fields only those of `selectByKeys`. */
export function parameters<Row>(
  shape: TableShape<Row>,
  rows: readonly Row[],
  fieldCount?: number,
): unknown[] {
  const columns = Object.entries<ColumnType>(shape.columns).slice(0, fieldCount);
  const values: unknown[] = [];
  for (const row of rows)
    for (const [field, type] of columns) values.push(encode(row[field as keyof Row], type));
  return values;
}

function encode(value: unknown, type: ColumnType): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'timestamptz') return new Date(value as number).toISOString();
  if (type === 'json') return JSON.stringify(value);
  if (type === 'integer[]') return histogramLiteral(value as ReadonlyMap<number, number>);
  return value;
}

/** A histogram as an array whose indices are the buckets in use, such as `[37:39]={1,0,2}`. */
function histogramLiteral(counts: ReadonlyMap<number, number>): string {
  if (counts.size === 0) return '{}';
  const buckets = [...counts.keys()];
  const [first, last] = [Math.min(...buckets), Math.max(...buckets)];
  const all = Array.from({ length: last - first + 1 }, (_, index) => counts.get(first + index) ?? 0);
  return `[${first}:${last}]={${all.join(',')}}`;
}

/** Reads ids as numbers and times as milliseconds. */
export const rowTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === types.builtins.INT8) return Number;
    if (oid === types.builtins.TIMESTAMPTZ) return (text: string) => Date.parse(isoFormat(text));
    if (oid === int8Array) return (text: string) => readInt8Array(text);
    return types.getTypeParser(oid, format);
  },
} as CustomTypesConfig;

const int8Array = 1016;

function readInt8Array(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

/** `2026-11-20 10:00:00.5+00` in a form that every JavaScript engine reads. */
function isoFormat(text: string): string {
  const iso = text.replace(' ', 'T');
  return /[+-]\d\d$/.test(iso) ? `${iso}:00` : iso;
}

/** A result row, read in array mode, as an object with the table's fields. */
export function readRow<Row>(shape: TableShape<Row>, values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  let index = 0;
  for (const field in shape.columns) row[field] = values[index++];
  return row as Row;
}
