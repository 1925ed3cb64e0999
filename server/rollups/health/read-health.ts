import {
  longestHealthDays,
  redExpiresAfterDays,
  type Health,
  type HealthQuery,
} from '#contract/metrics/health.ts';
import type { Tx } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { metricsSpan, type TimeSpan } from '#server/rollups/time-span.ts';
import { readDeploymentFigures } from './read-deployment-figures.ts';
import { branchHealth, mergesOf, readBranches } from './read-branches.ts';
import { readMinutes } from './read-minutes.ts';
import { readFlow } from './read-flow.ts';
import { findOldestRun, listMerged } from './result-store.ts';

const defaultDays = 30;

/**
 * Reads how long branches were red and how long pull requests into them took, from indexes of failures and merges and what is beside them.
 * The cost depends on the number of failures, workflows and pull requests, and not on the number of runs.
 * @throws AppError `invalid_request` when the span is invalid or too long.
 */
export async function readHealth(
  tx: Tx,
  integrationId: string,
  query: HealthQuery,
  now: number,
  cache: DashboardCache,
): Promise<Health> {
  const span = spanOf(query, now);
  const { branch, repository, limit = 200 } = query;
  const to = Math.min(span.to, now);
  const readMerged = async () => {
    const pulls = await listMerged(tx, integrationId, { from: Math.min(span.from, to), to }, query);
    return { merged: pulls, flow: await readFlow(tx, integrationId, pulls, limit) };
  };
  const [read, oldest, { merged, flow }, minutes, deployments] = await Promise.all([
    // A result that is older than this says nothing any more.
    readBranches(tx, integrationId, query, { from: span.from - redExpiresAfterDays * dayMs, to }),
    findOldestRun(tx, integrationId),
    readMerged(),
    readMinutes(tx, integrationId, { repository, limit }, span, cache),
    readDeploymentFigures(
      tx,
      integrationId,
      { from: Math.min(span.from, to), to, repository, branch, now },
      limit,
    ),
  ]);
  const coveredFrom = Math.max(span.from, oldest ?? 0, read.from);
  const range = { from: Math.min(coveredFrom, to), to };
  return {
    from: showTime(span.from),
    to: showTime(span.to),
    timeZone: span.timeZone,
    branch: branch ?? null,
    coveredFrom: coveredFrom > span.from && oldest !== undefined ? showTime(coveredFrom) : null,
    main: branchHealth(read, range, limit),
    merges: mergesOf(merged, read, range.from, limit),
    flow,
    minutes,
    deployments,
  };
}

function spanOf({ from, to, timeZone }: HealthQuery, now: number): TimeSpan {
  const end = to === undefined ? now : Date.parse(to);
  const start = from ?? new Date(end - (defaultDays - 1) * dayMs).toISOString();
  const span = metricsSpan({ from: start, to, granularity: 'day', timeZone }, now);
  if (span.to - span.from > (longestHealthDays + 1) * dayMs)
    throw invalidField('from', `must be at most ${longestHealthDays} days before to`);
  return span;
}
