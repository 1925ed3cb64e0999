import {
  trendDays,
  type FailureGroup,
  type FailureGroupPage,
  type FailureGroupQuery,
} from '#contract/failures/failures.ts';
import type { Tx } from '#platform/database/database.ts';
import { decodeCursor, defaultLimit, cursorAfter } from '#platform/http/page-cursor.ts';
import { listGroups, type GroupRow } from './group-store.ts';

/** Groups by their last failure, newest first. @throws AppError `invalid_request` for an invalid cursor */
export async function readGroups(
  tx: Tx,
  integrationId: string,
  query: FailureGroupQuery,
): Promise<FailureGroupPage> {
  const { limit = defaultLimit, cursor, q, status, repository, workflow, branch, from, to } = query;
  const words = (q ?? '').split(/\s+/).filter(Boolean);
  const before = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
  const filter = { status, repository, workflow, branch, from, to, words, before };
  const rows = await listGroups(tx, integrationId, filter, limit + 1);
  return {
    items: rows.slice(0, limit).map(groupOf),
    nextCursor: cursorAfter(rows, limit, (row) => row.failure_group_id),
  };
}

export function groupOf(row: GroupRow): FailureGroup {
  const isIgnored = row.status === 'ignored';
  return {
    groupId: row.failure_group_id,
    repository: row.repository,
    workflow: row.workflow,
    job: row.job,
    step: row.step,
    errorLine: row.error_line,
    isSpecific: row.is_specific,
    test: row.test,
    failures: Number(row.failures),
    firstSeenAt: row.first_seen_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    branches: row.branches,
    trend: trendOf(row),
    status: row.status,
    ignoredUntil: (isIgnored && row.ignored_until?.toISOString()) || null,
    note: row.note,
    statusAt: row.status_at?.toISOString() ?? null,
    statusBy: row.status_by === null ? null : { userId: row.status_by, name: row.status_by_name },
  };
}

/** Failures of the last days, oldest first. */
function trendOf({ trend, trend_age: age }: GroupRow): number[] {
  return Array.from({ length: trendDays }, (_, index) => trend[trendDays - 1 - index - age] ?? 0);
}
