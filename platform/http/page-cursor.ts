import { isUuid } from '../database/scope.ts';
import { invalidField } from '../runtime/app-error.ts';

/** The last item of a page of a keyset-paginated list. The next page begins after it. */
export interface PagePosition {
  /** Microseconds since the epoch in lists of UUIDs, milliseconds in those of numbers. */
  at: string;
  /** Orders items of the same time. */
  id: string;
}

/** Items on a page when the request names no number. */
export const defaultLimit = 50;

const isId = { uuid: isUuid, number: (id: string): boolean => /^\d{1,16}$/.test(id) };

/** Times that a Date and Postgres can hold. */
const isAt = { uuid: /^-?\d{1,17}$/, number: /^-?\d{1,15}$/ };

export function encodeCursor({ at, id }: PagePosition): string {
  return Buffer.from(`${at} ${id}`).toString('base64url');
}

/** @throws AppError `invalid_request` for anything that `encodeCursor` did not make. */
export function decodeCursor(cursor: string, idKind: keyof typeof isId): PagePosition {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (isAt[idKind].test(at) && isId[idKind](id) && encodeCursor({ at, id }) === cursor) return { at, id };
  throw invalidField('cursor', 'must be the nextCursor of a page of this list');
}

/** The cursor of the next page. `rows` has one more than `limit` unless this page is the last one. */
export function cursorAfter<Row extends { at_micros: string }>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
): string | null {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return last === undefined ? null : encodeCursor({ at: last.at_micros, id: idOf(last) });
}
