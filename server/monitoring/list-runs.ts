import type { WorkflowRun, WorkflowRunQuery } from '#contract/monitoring.ts';
import type { Tx } from '#platform/database/database.ts';
import { encodeCursor } from './run-cursor.ts';
import { runFilter } from './run-filter.ts';
import { runObject } from './run-object.ts';
import { listRunRows } from './store.ts';

const defaultLimit = 50;

/** Newest first. @throws AppError `invalid_request` for a cursor that is none. */
export async function listRuns(
  tx: Tx,
  integrationId: string,
  query: WorkflowRunQuery,
): Promise<{ items: WorkflowRun[]; nextCursor: string | null }> {
  const limit = query.limit ?? defaultLimit;
  const rows = await listRunRows(tx, runFilter(integrationId, query), limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(runObject),
    nextCursor: last === undefined ? null : encodeCursor(last),
  };
}
