import type { PullRequestPage, PullRequestQuery } from '#contract/runs/pull-requests.ts';
import type { Tx } from '#platform/database/database.ts';
import { decodeCursor, encodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { pullRequestItems } from './pull-request-items.ts';
import {
  findByIdentity,
  findLastScanned,
  listPullRequests,
  type Identity,
  type Scan,
} from './pull-request-store.ts';

/** Pull requests that are searched for one page. */
const maxScanned = 4000;

/**
 * Lists pull requests, newest first. A search finds those with the number, branch or SHA; without one, those whose title has all
 * words.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export async function findPullRequests(
  tx: Tx,
  integrationId: string,
  { q, cursor, limit = defaultLimit, ...wanted }: PullRequestQuery,
  scanLimit = maxScanned,
): Promise<PullRequestPage> {
  const { repository, author, state } = wanted;
  const filter = { repository, author, state };
  const text = q?.trim() ?? '';
  if (text !== '' && cursor === undefined) {
    const rows = await findByIdentity(tx, integrationId, filter, identityOf(text), limit);
    if (rows.length > 0) return { items: await pullRequestItems(tx, integrationId, rows), nextCursor: null };
  }
  const scan: Scan = {
    after: cursor === undefined ? undefined : decodeCursor(cursor, 'number'),
    most: Math.max(scanLimit, limit + 1),
    limit: limit + 1,
    words: text === '' ? [] : text.split(/\s+/).slice(0, 20),
  };
  const rows = await listPullRequests(tx, integrationId, filter, scan);
  const last =
    rows.length > limit ? positionOf(rows[limit - 1]!) : await findLastScanned(tx, integrationId, scan);
  return {
    items: await pullRequestItems(tx, integrationId, rows.slice(0, limit)),
    nextCursor: last === undefined ? null : encodeCursor(last),
  };
}

const positionOf = ({ createdAt, number }: PullRequestRow) => ({
  at: String(createdAt ?? 0),
  id: String(number),
});

function identityOf(text: string): Identity {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  return {
    number: number === undefined ? undefined : Number(number),
    branch: text,
    sha: /^[0-9a-f]{7,64}$/i.test(text) ? text.toLowerCase() : undefined,
  };
}
