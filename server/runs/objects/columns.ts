import { bytea, json, nullable, type ColumnType } from '#platform/database/rows/column-types.ts';
import type { Version } from '../staleness.ts';

/**
 * The columns of a stored object. Row type, statements, merge and API object follow from them, so a field is declared once. The
 * database column has the field's name in snake case.
 */

/**
 * How the values of two versions of the object merge:
 * - `key`: both have the same value.
 * - `newest`: the newer version's value, also when it is null.
 * - `fact`: the newest value that is not null. `attempt_fact`: the same, of versions with the same attempt.
 * - `bookkeeping`: a field of the merge itself.
 * - a function of the newer and the older value. It must be commutative, associative and idempotent.
 */
type Merge<Value> =
  | 'key'
  | 'newest'
  | 'fact'
  | 'attempt_fact'
  | 'bookkeeping'
  | { combine(newer: Value, older: Value): Value };

export interface Column<Value = unknown, Shown = unknown> {
  type: ColumnType<Value, Shown>;
  merge: Merge<Value>;
}

export interface KeyColumn<Value = unknown, Shown = unknown> extends Column<Value, Shown> {
  merge: 'key';
}

/** A column that the API does not show. */
export interface HiddenColumn<Value = unknown> extends Column<Value, unknown> {
  isHidden: true;
}

export function key<Value, Shown>(type: ColumnType<Value, Shown>): KeyColumn<Value, Shown> {
  return { type, merge: 'key' };
}

export function newest<Value, Shown>(type: ColumnType<Value, Shown>): Column<Value, Shown> {
  return { type, merge: 'newest' };
}

export function fact<Value, Shown>(type: ColumnType<Value, Shown>): Column<Value | null, Shown | null> {
  return { type: nullable(type), merge: 'fact' };
}

export function attemptFact<Value, Shown>(
  type: ColumnType<Value, Shown>,
): Column<Value | null, Shown | null> {
  return { type: nullable(type), merge: 'attempt_fact' };
}

export function combined<Value, Shown>(
  type: ColumnType<Value, Shown>,
  combine: (newer: Value, older: Value) => Value,
): Column<Value, Shown> {
  return { type, merge: { combine } };
}

export function hidden<Value>(column: Column<Value, unknown>): HiddenColumn<Value> {
  return { ...column, isHidden: true };
}

/**
 * Facts that come from an older event than the row's version, with that event's version in hex. Null when the newest event had
 * all facts, which is the usual case.
 */
export type OlderFacts = Record<string, string> | null;

/** Orders the events of the object, see `server/runs/staleness.ts`. */
export const version: HiddenColumn<Version> = { type: bytea, merge: 'bookkeeping', isHidden: true };
export const olderFacts: HiddenColumn<OlderFacts> = {
  type: nullable(json<Record<string, string>>()),
  merge: 'bookkeeping',
  isHidden: true,
};

export type Columns = Record<string, Column>;

export type RowOf<Declared> = {
  -readonly [Field in keyof Declared]: Declared[Field] extends Column<infer Value> ? Value : never;
};

export type KeyOf<Declared> = {
  [Field in keyof Declared as Declared[Field] extends KeyColumn ? Field : never]: RowOf<Declared>[Field];
};

/** The fields that every stored object has. */
export interface VersionedRow {
  integrationId: string;
  version: Version;
}

/** The fields whose column meets the condition. */
export function fieldsWhere(columns: Columns, condition: (column: Column) => boolean): string[] {
  return Object.keys(columns).filter((field) => condition(columns[field]!));
}
