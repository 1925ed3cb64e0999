import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';

/** The last entry of a page. Microseconds since the epoch: entries of one millisecond must keep their order. */
export interface EntryPosition {
  atMicros: string;
  entryId: string;
}

export function encodeEntryCursor({ atMicros, entryId }: EntryPosition): string {
  return Buffer.from(`${atMicros} ${entryId}`).toString('base64url');
}

/** @throws AppError `invalid_request` for anything that `encodeEntryCursor` did not make. */
export function decodeEntryCursor(cursor: string): EntryPosition {
  const [atMicros = '', entryId = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const position = { atMicros, entryId };
  if (/^\d{1,17}$/.test(atMicros) && isUuid(entryId) && encodeEntryCursor(position) === cursor)
    return position;
  throw new AppError('invalid_request', {
    errors: [{ field: 'cursor', message: 'must be the nextCursor of a page of this list' }],
  });
}
