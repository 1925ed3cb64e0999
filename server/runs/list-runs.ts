import type { WorkflowRun, WorkflowRunQuery } from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { encodeCursor } from '#platform/http/page-cursor.ts';
import { runFilter } from './run-filter.ts';
import { findLastScanned, listRunRows } from './run-list-store.ts';
import { runObject } from './objects/run.ts';

const defaultLimit = 50;

/** Runs scanned for one page, so that a filter with few matches does not read the whole history. */
const maxScanned = 4000;

/**
 * Lists runs, newest first. A page with few matches ends at the scan limit, with a cursor to continue from.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export async function listRuns(
  tx: Tx,
  integrationId: string,
  query: WorkflowRunQuery,
  scanLimit = maxScanned,
): Promise<{ items: WorkflowRun[]; nextCursor: string | null }> {
  const limit = query.limit ?? defaultLimit;
  const filter = runFilter(integrationId, query, { narrow: true });
  const most = Math.max(scanLimit, limit + 1);
  const rows = await listRunRows(tx, filter, most, limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : await findLastScanned(tx, filter, most);
  return {
    items: rows.slice(0, limit).map(runObject),
    nextCursor:
      last === undefined ? null : encodeCursor({ at: String(last.createdAt), id: String(last.runId) }),
  };
}
