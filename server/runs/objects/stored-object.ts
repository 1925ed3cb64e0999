import { defineTable, type Table } from '#platform/database/rows/multi-row.ts';
import type { Version } from '../staleness.ts';
import { fieldsWhere, type Columns, type KeyOf, type RowOf, type OlderFacts } from './columns.ts';

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

/**
 * Returns the function that merges two rows of one object by the rules of its columns. It is commutative, associative and
 * idempotent, so events may arrive in any order, repeated and in any batches. It returns `stored` itself when `incoming` adds
 * nothing.
 */
function mergeOf<Declared extends Columns>(
  columns: Declared,
): (stored: RowOf<Declared>, incoming: RowOf<Declared>) => RowOf<Declared> {
  const newest = fieldsWhere(columns, ({ merge }) => merge === 'newest');
  const facts = fieldsWhere(columns, ({ merge }) => merge === 'fact');
  const allFacts = fieldsWhere(columns, ({ merge }) => merge === 'fact' || merge === 'attempt_fact');
  const combinations = Object.entries(columns).flatMap(([field, { merge }]) =>
    typeof merge === 'string' ? [] : [{ field, ...merge }],
  );
  const merge = (stored: WithFacts, incoming: WithFacts): WithFacts => {
    const [winner, loser] = newerFirst(stored, incoming, newest);
    const names = winner['attempt'] === loser['attempt'] ? allFacts : facts;
    let merged = mergeFacts(names, winner, loser);
    for (const { field, combine } of combinations) {
      const value = combine(winner[field], loser[field]);
      if (value === winner[field]) continue;
      if (merged === winner) merged = { ...winner };
      merged[field] = value;
    }
    return merged;
  };
  return merge as never;
}

/** With equal versions, which only forges without version-1 delivery ids send, the row with the larger values wins. */
function newerFirst(
  stored: WithFacts,
  incoming: WithFacts,
  fields: readonly string[],
): [newer: WithFacts, older: WithFacts] {
  const order = Buffer.compare(stored.version, incoming.version);
  if (order !== 0) return order > 0 ? [stored, incoming] : [incoming, stored];
  const text = (row: WithFacts) => JSON.stringify(fields.map((field) => row[field]));
  return text(incoming) > text(stored) ? [incoming, stored] : [stored, incoming];
}

type Fact = string | number | null;
interface WithFacts extends Record<string, unknown> {
  version: Version;
  /** Absent in objects without facts. */
  olderFacts?: OlderFacts;
}

/** Takes the newest value of each fact that is not null. Returns `winner` itself when it already has all of them. */
function mergeFacts(names: readonly string[], winner: WithFacts, loser: WithFacts): WithFacts {
  let merged = winner;
  for (const name of names) {
    if (loser[name] === null || !isNewerFact(loser, winner, name)) continue;
    if (merged === winner) merged = { ...winner, olderFacts: { ...winner.olderFacts } };
    merged[name] = loser[name];
    setFactVersion(merged, name, factVersion(loser, name));
  }
  return merged;
}

function isNewerFact(one: WithFacts, other: WithFacts, name: string): boolean {
  if (other[name] === null) return true;
  // The usual case: the newest event has the newest value.
  if (other.olderFacts?.[name] === undefined && Buffer.compare(one.version, other.version) < 0) return false;
  const [a, b] = [factVersion(one, name), factVersion(other, name)];
  return a === b ? (one[name] as Fact)! > (other[name] as Fact)! : a > b;
}

function factVersion(row: WithFacts, name: string): string {
  return row.olderFacts?.[name] ?? row.version.toString('hex');
}

function setFactVersion(row: WithFacts, name: string, version: string): void {
  const { [name]: _, ...others } = row.olderFacts ?? {};
  const olderFacts = version === row.version.toString('hex') ? others : { ...others, [name]: version };
  row.olderFacts = Object.keys(olderFacts).length === 0 ? null : olderFacts;
}
