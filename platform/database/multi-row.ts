import { codecOf, type ColumnType } from './column-types.ts';

/**
 * Statements over several rows at cachedText: one text for each table and number of rows, prepared by name. A VALUES list with
 * a parameter for each cell costs less than one JSON document (by 10 to 30 %) or arrays with unnest (by 40 %).
 */
export interface Table<Row> {
  name: string;
  /** Key first, in the order of `columns`. */
  fields: (keyof Row & string)[];
  types: ColumnType[];
  columns: string[];
  keyLength: number;
  texts: Map<string, string>;
}

/** `columns` says the type of each field, key first; a column is named as its field, in snake case. */
export function defineTable<Row>(
  name: string,
  keyLength: number,
  columns: Record<keyof Row & string, ColumnType>,
): Table<Row> {
  const fields = Object.keys(columns) as (keyof Row & string)[];
  return {
    name,
    fields,
    types: fields.map((field) => columns[field]),
    columns: fields.map(snakeCase),
    keyLength,
    texts: new Map(),
  };
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function columnList<Row>({ columns }: Table<Row>, prefix = ''): string {
  return columns.map((column) => prefix + column).join(', ');
}

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** Inserts rows whole, and replaces whole those whose key exists. */
export function replaceStatement<Row>(table: Table<Row>, rows: readonly Row[]): Statement {
  return upsertStatement(table, rows, (column) => `${column} = excluded.${column}`);
}

/** Inserts rows; to those whose key exists it adds: `add` says how for each column that is a quantity. */
export function addStatement<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  add: (column: string) => string | undefined,
): Statement {
  return upsertStatement(table, rows, add);
}

function upsertStatement<Row>(
  table: Table<Row>,
  rows: readonly Row[],
  assign: (column: string) => string | undefined,
): Statement {
  const name = `upsert ${rows.length} ${table.name}`;
  const makeText = () => {
    const assignments = table.columns.slice(table.keyLength).flatMap((column) => assign(column) ?? []);
    return `insert into ${table.name} as t (${columnList(table)})
      values ${placeholders(table.types, rows.length)}
      on conflict (${table.columns.slice(0, table.keyLength).join(', ')})
      do update set ${assignments.join(', ')}`;
  };
  return {
    name,
    text: cachedText(table, name, makeText),
    values: parameters(table, rows, table.fields.length),
  };
}

/** Selects the stored rows that have the keys of `rows`. */
export function findStatement<Row>(table: Table<Row>, rows: readonly Row[]): Statement {
  const name = `find ${rows.length} ${table.name}`;
  const makeText = () =>
    `select ${columnList(table, 't.')} from ${keyList(table, table.keyLength, rows.length)}
     join lateral ${rowOfKey(table)} t on true`;
  return { name, text: cachedText(table, name, makeText), values: parameters(table, rows, table.keyLength) };
}

/** The first `length` columns of `count` rows, as a from-item `k`. */
export function keyList<Row>({ types, columns }: Table<Row>, length: number, count: number): string {
  return `(values ${placeholders(types.slice(0, length), count)}) k (${columns.slice(0, length).join(', ')})`;
}

/**
 * The row that has the key in `k`. Bound to one row, it can only be looked up key by key: a statement prepared while the
 * table is empty keeps its plan, and with a plain join that would be a scan of what has become a large table.
 */
export function rowOfKey<Row>({ name, columns, keyLength }: Table<Row>): string {
  const isSame = columns.slice(0, keyLength).map((column) => `r.${column} = k.${column}`);
  return `(select * from ${name} r where ${isSame.join(' and ')} limit 1)`;
}

/** A statement of each size is prepared on each connection, so that the sizes must be few. */
const maxRows = 20;

/** Rows for one statement each. */
export function chunks<Row>(rows: readonly Row[]): (readonly Row[])[] {
  if (rows.length <= maxRows) return rows.length === 0 ? [] : [rows];
  return Array.from({ length: Math.ceil(rows.length / maxRows) }, (_, index) =>
    rows.slice(index * maxRows, (index + 1) * maxRows),
  );
}

/** What `find` answers for each piece, all in one round trip. */
export async function inChunks<Row, Found>(
  rows: readonly Row[],
  find: (some: readonly Row[]) => Promise<Found[]>,
): Promise<Found[]> {
  return (await Promise.all(chunks(rows).map(find))).flat();
}

/** Texts are long, so each is made cachedText. */
export function cachedText<Row>({ texts }: Table<Row>, name: string, makeText: () => string): string {
  let text = texts.get(name);
  if (text === undefined) texts.set(name, (text = makeText()));
  return text;
}

function placeholders(types: ColumnType[], count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const row = types.map((type, column) => `$${index * types.length + column + 1}::${codecOf(type).pgType}`);
    return `(${row.join(', ')})`;
  });
  return rows.join(', ');
}

/** The first `length` cells of each row. */
export function parameters<Row>(
  { fields, types }: Table<Row>,
  rows: readonly Row[],
  length: number,
): unknown[] {
  const encoders = types.slice(0, length).map((type) => codecOf(type).encode);
  const values: unknown[] = [];
  for (const row of rows) {
    for (let index = 0; index < length; index += 1) {
      const value = row[fields[index]!];
      const encode = encoders[index];
      values.push(value === null || encode === undefined ? value : encode(value as never));
    }
  }
  return values;
}

/** For a query in array mode: leaves every cell in Postgres's text form, for `readRow`. */
export const rawText = { getTypeParser: () => (text: string) => text };

/** The row in the cells from `offset` on. */
export function readRow<Row>(
  { fields, types }: Table<Row>,
  texts: readonly (string | null)[],
  offset = 0,
): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (let index = 0; index < fields.length; index += 1) {
    const text = texts[offset + index] ?? null;
    const decode = codecOf(types[index]!).decode;
    row[fields[index]!] = text === null || decode === undefined ? text : decode(text);
  }
  return row as Row;
}
