import { p95InTurn, type OpenHistory } from '../../history/history-product.ts';
import { inTurn, ratioResult } from '../../results/pairs.ts';
import type { Bench, Result } from '../../types.ts';

/** The same numbers from the rows: what a dashboard would read without rollups. */
const scanTexts = [
  `select date_trunc('day', completed_at), conclusion, count(*),
     percentile_disc(array[0.5, 0.95]) within group (order by completed_at - started_at)
   from workflow_runs where integration_id = $1 and completed_at >= now() - interval '90 days' group by 1, 2`,
  `select date_trunc('day', completed_at), conclusion, count(*), sum(ceil(extract(epoch from completed_at - started_at) / 60)),
     percentile_disc(array[0.5, 0.95]) within group (order by started_at - created_at)
   from workflow_jobs where integration_id = $1 and completed_at >= now() - interval '90 days' group by 1, 2`,
];

/** How many times faster a dashboard of 90 days is, over HTTP, than a scan of its rows. */
export async function dashboardResult(bench: Bench, { runs, ...history }: OpenHistory): Promise<Result> {
  const from = new Date(Date.now() - 89 * 86_400_000).toISOString();
  const scan = async () => {
    const startedAt = performance.now();
    for (const text of scanTexts) await history.owner.query(text, [history.integrationId]);
    return performance.now() - startedAt;
  };
  const read = async () => {
    const [p95 = 0] = await p95InTurn(10, [() => history.read(`metrics?granularity=day&from=${from}`)]);
    return p95;
  };
  const pairs = await inTurn(bench, 5, scan, read);
  const row = { id: 'P12', what: "a scan of the rows, against dashboards' numbers for 90 days over HTTP" };
  return ratioResult(row, pairs, { atLeast: 100 }, { note: `${runs / 1e6} M runs` });
}
