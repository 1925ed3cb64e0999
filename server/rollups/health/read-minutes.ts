import { lostKinds, type Minutes } from '#contract/metrics/health.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { largestFirst } from '#server/rollups/dashboards/metric-numbers.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';
import { readPrices } from '#server/minute-prices/prices.ts';
import { listLost } from './lost-store.ts';
import { addUp, readCosts } from './read-costs.ts';

const maxLabels = 20;

/** The billable minutes of a span on all branches, by the labels of runners, what they cost, and those that were lost. */
export async function readMinutes(
  tx: Tx,
  integrationId: string,
  { repository, limit }: { repository: string | undefined; limit: number },
  span: TimeSpan,
  cache: DashboardCache,
): Promise<Minutes> {
  const [state, prices, ...found] = await Promise.all([
    findRollupState(tx, integrationId, span),
    readPrices(tx, integrationId),
    ...lostKinds.map((kind) => listLost(tx, integrationId, kind, span, repository)),
  ]);
  const sumIn = (part: TimeSpan) =>
    cache.sumsIn(tx, state)({ integrationId, kind: 'job', repository }, part, ['runner']);
  const labels = await sumIn(span);
  const costs = await readCosts(span, labels, prices, sumIn);
  const lost = lostKinds.map((kind, place) => {
    const rows = found[place] ?? [];
    const oldest = rows.reduce((least, { at }) => Math.min(least, at), Infinity);
    return {
      kind,
      runs: rows.length,
      minutes: rows.reduce((sum, { minutes }) => sum + minutes, 0),
      since: rows[0]?.isCut ? showTime(oldest) : null,
    };
  });
  const runs = lostKinds.flatMap((kind, place) => (found[place] ?? []).map((row) => ({ kind, row })));
  const jobs = labels.reduce((sum, { count }) => sum + count, 0);
  return {
    total: jobs === 0 ? null : labels.reduce((sum, { billableMinutes }) => sum + billableMinutes, 0),
    lost,
    count: runs.length,
    runs: runs
      .toSorted((a, b) => b.row.minutes - a.row.minutes || b.row.runId - a.row.runId)
      .slice(0, limit)
      .map(({ kind, row: { repository: of, workflow, runId, runNumber, title, minutes, ...row } }) => ({
        kind,
        repository: of,
        workflow,
        runId,
        runNumber,
        title,
        jobs: row.jobs,
        minutes,
        at: showTime(row.at),
      })),
    costs: addUp([...costs.values()].flat()),
    labels: largestFirst(labels, ({ billableMinutes }) => billableMinutes, labels.length)
      .map(({ runner = '', count, billableMinutes }) => ({
        runner,
        jobs: count,
        billableMinutes,
        costs: costs.get(runner) ?? [],
      }))
      .filter((label, place) => place < maxLabels || label.costs.length > 0),
  };
}
