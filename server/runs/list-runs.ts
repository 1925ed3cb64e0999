import type { WorkflowRun, WorkflowRunQuery } from '#contract/monitoring.ts';
import type { Tx } from '#platform/database/database.ts';
import { encodeCursor } from '#platform/http/page-cursor.ts';
import { runFilter } from './run-filter.ts';
import { findLastScanned, listRunRows } from './run-list-store.ts';
import { runObject } from './run-object.ts';

const defaultLimit = 50;

/** Runs that are looked at for one page: filters that few runs meet must not read the whole history. */
const maxScanned = 4000;

/**
 * Newest first. A page whose filters few runs meet ends early, with a cursor to look further from.
 * @throws AppError `invalid_request` for a cursor that is none.
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
