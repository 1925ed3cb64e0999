import { lostKinds, type Minutes } from '#contract/metrics/health.ts';
import type { Tx } from '#platform/database/database.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import { largestFirst } from '#server/rollups/dashboards/metric-numbers.ts';
import { findRollupState } from '#server/rollups/dashboards/rollup-state-store.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';
import { readPrices } from '#server/minute-prices/prices.ts';
import { listLost } from './lost-store.ts';
import { addUp, costsOf, readCosts } from './read-costs.ts';

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
  const runs = lostKinds.flatMap((kind, place) =>
    (found[place] ?? []).map(({ parts, ...run }) => ({ ...run, kind, costs: costsOf(parts, prices) })),
  );
  const sumIn = (part: TimeSpan) =>
    cache.sumsIn(tx, state)({ integrationId, kind: 'job', repository }, part, ['runner']);
  const labels = await sumIn(span);
  const costs = await readCosts(span, labels, prices, sumIn);
  const lost = lostKinds.map((kind) => {
    const rows = runs.filter((run) => run.kind === kind);
    const oldest = rows.reduce((least, { at }) => Math.min(least, at), Infinity);
    return {
      kind,
      runs: rows.length,
      minutes: rows.reduce((sum, { minutes }) => sum + minutes, 0),
      costs: addUp(rows.flatMap((run) => run.costs)),
      since: rows[0]?.isCut ? showTime(oldest) : null,
    };
  });
  const jobs = labels.reduce((sum, { count }) => sum + count, 0);
  return {
    total: jobs === 0 ? null : labels.reduce((sum, { billableMinutes }) => sum + billableMinutes, 0),
    lost,
    count: runs.length,
    runs: runs
      .toSorted((a, b) => b.minutes - a.minutes || b.runId - a.runId)
      .slice(0, limit)
      .map((each) => {
        const { isCut: _, ...run } = each;
        return { ...run, at: showTime(run.at) };
      }),
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
