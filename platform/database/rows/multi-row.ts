import type { ColumnType } from './column-types.ts';

/** Statements for any number of rows: each column is one array parameter. A table has few texts, prepared by name. */
export interface Table<Row> {
  name: string;
  /** Key first, in the order of `columns`. */
  fields: (keyof Row & string)[];
  types: ColumnType<unknown, unknown>[];
  columns: string[];
  keyLength: number;
  texts: Map<string, string>;
}

/** `columns` has the type of each field, key first. A column has the name of its field in snake case. */
export function defineTable<Row>(
  name: string,
  keyLength: number,
  columns: { [Field in keyof Row & string]: ColumnType<Row[Field], unknown> },
): Table<Row> {
  const fields = Object.keys(columns) as (keyof Row & string)[];
  return {
    name,
    fields,
    types: fields.map((field): ColumnType<unknown, unknown> => columns[field]),
    columns: fields.map(columnName),
    keyLength,
    texts: new Map(),
  };
}

/** The column of a field: its name in snake case. */
export function columnName(field: string): string {
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

/** Inserts rows, and replaces rows whose key exists. */
export function replaceStatement<Row>(table: Table<Row>, rows: readonly Row[]): Statement {
  return upsertStatement(table, rows, (column) => `${column} = excluded.${column}`);
}

/** Inserts rows, and adds to rows whose key exists. `add` returns the assignment of each column to change. */
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
  const name = `upsert ${table.name}`;
  const makeText = () => {
    const assignments = table.columns.slice(table.keyLength).flatMap((column) => assign(column) ?? []);
    return `insert into ${table.name} as t (${columnList(table)})
      select ${unnested(table)} from ${keyList(table, table.fields.length)}
      on conflict (${table.columns.slice(0, table.keyLength).join(', ')})
      do update set ${assignments.join(', ')}`;
  };
  return {
    name,
    text: cachedText(table, name, makeText),
    values: parameters(table, rows, table.fields.length),
  };
}

/** Selects the stored rows with the keys of `rows`. */
export function findStatement<Row>(table: Table<Row>, rows: readonly Row[]): Statement {
  const name = `find ${table.name}`;
  const makeText = () =>
    `select ${columnList(table, 't.')} from ${keyList(table, table.keyLength)}
     join lateral ${rowOfKey(table)} t on true`;
  return { name, text: cachedText(table, name, makeText), values: parameters(table, rows, table.keyLength) };
}

/** The first `length` columns of the parameter rows, as the from-item `k`. A list in a row arrives as text. */
export function keyList<Row>({ types, columns }: Table<Row>, length: number): string {
  const arrays = types
    .slice(0, length)
    .map((type, index) => `$${index + 1}::${isList(type) ? 'text' : type.pgType}[]`);
  return `unnest(${arrays.join(', ')}) k (${columns.slice(0, length).join(', ')})`;
}

function unnested<Row>({ types, columns }: Table<Row>): string {
  return columns
    .map((column, index) => (isList(types[index]!) ? `k.${column}::${types[index]!.pgType}` : `k.${column}`))
    .join(', ');
}

/** Postgres would flatten arrays in an array parameter. */
function isList({ pgType }: ColumnType<unknown, unknown>): boolean {
  return pgType.endsWith('[]');
}

/**
 * The row with the key in `k`. `limit 1` forces an index lookup for each key. A statement that is prepared while the table is
 * empty keeps its plan, and the plan of a plain join would scan the table, also when it has become large.
 */
export function rowOfKey<Row>({ name, columns, keyLength }: Table<Row>): string {
  const isSame = columns.slice(0, keyLength).map((column) => `r.${column} = k.${column}`);
  return `(select * from ${name} r where ${isSame.join(' and ')} limit 1)`;
}

/** Statement texts are long, so each is built once. */
export function cachedText<Row>({ texts }: Table<Row>, name: string, makeText: () => string): string {
  let text = texts.get(name);
  if (text === undefined) texts.set(name, (text = makeText()));
  return text;
}

/** The first `length` columns of the rows, an array for each. */
export function parameters<Row>(
  { fields, types }: Table<Row>,
  rows: readonly Row[],
  length: number,
): unknown[][] {
  return types.slice(0, length).map(({ encode }, index) =>
    rows.map((row) => {
      const value = row[fields[index]!];
      return value === null || encode === undefined ? value : encode(value as never);
    }),
  );
}

/** For a query in array mode: keeps every value in Postgres's text form, for `readRow`. */
export const rawText = { getTypeParser: () => (text: string) => text };

/** Decodes the row that starts at `offset`. */
export function readRow<Row>(
  { fields, types }: Table<Row>,
  texts: readonly (string | null)[],
  offset = 0,
): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (let index = 0; index < fields.length; index += 1) {
    const text = texts[offset + index] ?? null;
    const { decode } = types[index]!;
    row[fields[index]!] = text === null || decode === undefined ? text : decode(text);
  }
  return row as Row;
}
