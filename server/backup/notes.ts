import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { DamagedBackup } from './container.ts';

/** The first frame. Everything that a restore checks before it changes anything. */
export const Header = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  createdAt: Type.String(),
  migrations: Type.Array(Type.String()),
  /** In base64; the first one encrypts. */
  keys: Type.Array(Type.String(), { minItems: 1 }),
  queueWeeks: Type.Array(Type.String()),
  tables: Type.Array(Type.String()),
});
export type Header = Static<typeof Header>;

/** Precedes the rows of a table. */
const TableNote = Type.Object({ table: Type.String(), columns: Type.Array(Type.String(), { minItems: 1 }) });

/** Follows the rows of a table. */
const RowsNote = Type.Object({ rows: Type.Integer({ minimum: 0 }) });

/** The last frame. */
export const EndNote = Type.Object({
  end: Type.Literal(true),
  sequences: Type.Array(
    Type.Object({ sequence: Type.String(), position: Type.String(), isCalled: Type.Boolean() }),
  ),
});
export type EndNote = Static<typeof EndNote>;

const checks = {
  header: Compile(Header),
  table: Compile(TableNote),
  rows: Compile(RowsNote),
  end: Compile(EndNote),
};

export const isEnd = (value: unknown): value is EndNote => checks.end.Check(value);
export const asHeader = (value: unknown): Header => expect(checks.header, value);
export const asTable = (value: unknown): Static<typeof TableNote> => expect(checks.table, value);
export const asRows = (value: unknown): Static<typeof RowsNote> => expect(checks.rows, value);

function expect<T>(check: { Check(value: unknown): boolean }, value: unknown): T {
  if (!check.Check(value)) throw new DamagedBackup('has a format that this version does not know');
  return value as T;
}
