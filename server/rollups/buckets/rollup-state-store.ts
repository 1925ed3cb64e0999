import type { Tx } from '#platform/database/database.ts';
import type { RollupState } from './rollup-buckets.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';

/** Reads which hours of a span are finalized, dirty or open. */
export async function findRollupState(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
): Promise<RollupState> {
  const { rows } = await tx.query<{
    until: number | null;
    version: number | null;
    gaps: number[] | null;
    open: number[] | null;
  }>({
    name: 'find-state-buckets',
    text: `select (extract(epoch from p.until) * 1000)::float8 as until, p.version::float8 as version,
             (select array_agg((extract(epoch from g.start) * 1000)::float8) from rollup_gaps g
              where g.integration_id = $1 and g.start >= $2 and g.start < $3) as gaps,
             (select array_agg(distinct (extract(epoch from r.hour) * 1000)::float8) from rollups r
              where r.integration_id = $1 and r.kind in ('run_any', 'job_any')
                and r.hour >= greatest($2::timestamptz, p.until) and r.hour < $3) as open
           from (select) one left join (
             select until, version from rollup_progress where integration_id = $1) p on true`,
    values: [integrationId, new Date(from).toISOString(), new Date(to).toISOString()],
  });
  const { until, version, gaps, open } = rows[0] ?? {};
  return {
    finalizedUntil: until ?? 0,
    version: version ?? 0,
    dirtyHours: new Set(gaps),
    openHours: open ?? [],
  };
}
