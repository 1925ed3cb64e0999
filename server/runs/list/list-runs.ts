import type {
  WorkflowRun,
  WorkflowRunCount,
  WorkflowRunCountQuery,
  WorkflowRunQuery,
} from '#contract/runs/runs.ts';
import type { Tx } from '#platform/database/database.ts';
import { encodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import { runFilter } from './run-filter.ts';
import { compareNewest, countMatches, findLastScanned, listRunRows, positionOf } from './run-list-store.ts';
import { runObject } from '../objects/run.ts';

/** Runs scanned for one page, so that a filter with few matches does not read the whole history. */
const maxScanned = 4000;

/**
 * Lists runs, newest first, by creation or by completion. A page with few matches ends at the scan limit, with a cursor to continue from.
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
  const inOrder = rows.map((row) => ({ row, position: positionOf(row, filter.order) }));
  const isOneScan = filter.branches.length === 1;
  const end = isOneScan && rows.length > limit ? undefined : await findLastScanned(tx, filter, most);
  // A scan that ended earlier than others may have left out runs between theirs.
  const items = (
    end && !isOneScan ? inOrder.filter(({ position }) => compareNewest(position, end) <= 0) : inOrder
  ).slice(0, limit);
  const last = rows.length > limit && items.length === limit ? items.at(-1)?.position : end;
  return {
    items: items.map(({ row }) => runObject(row)),
    nextCursor: last === undefined ? null : encodeCursor({ at: String(last.at), id: String(last.runId) }),
  };
}

/** Runs scanned for a count. */
const maxCounted = 10_000;

/**
 * Counts the runs after the cursor, or all.
 * @throws AppError `invalid_request` when the cursor is invalid.
 */
export async function countRuns(
  tx: Tx,
  integrationId: string,
  query: WorkflowRunCountQuery,
  scanLimit = maxCounted,
): Promise<WorkflowRunCount> {
  const filter = runFilter(integrationId, query, { narrow: true });
  const { scanned, matching } = await countMatches(tx, filter, scanLimit);
  return { count: matching, isComplete: scanned < scanLimit };
}
