import { AppError } from '#platform/runtime/app-error.ts';

/** The last run of a page; the next page begins after it. */
export interface RunPosition {
  createdAt: number;
  runId: number;
}

export function encodeCursor({ createdAt, runId }: RunPosition): string {
  return Buffer.from(`${createdAt} ${runId}`).toString('base64url');
}

/** @throws AppError `invalid_request` for anything that `encodeCursor` did not make. */
export function decodeCursor(cursor: string): RunPosition {
  const parts = /^(-?\d{1,15}) (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const position = { createdAt: Number(parts?.[1]), runId: Number(parts?.[2]) };
  if (parts && encodeCursor(position) === cursor) return position;
  throw new AppError('invalid_request', {
    errors: [{ field: 'cursor', message: 'must be the nextCursor of a page of this list' }],
  });
}
