import type { Tx } from '#platform/database/database.ts';
import type { RollupState } from './cover-span.ts';
import { floor, type TimeSpan } from '../time-span.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** Reads which hours and days of a span are finalized, dirty or open. */
export async function findRollupState(
  tx: Tx,
  integrationId: string,
  { from, to }: Pick<TimeSpan, 'from' | 'to'>,
): Promise<RollupState> {
  const { rows } = await tx.query<{
    until: number | null;
    version: number | null;
    dirty: number[] | null;
    open: number[] | null;
    first: number | null;
  }>({
    name: 'find-rollup-state',
    text: `select (extract(epoch from p.finalized_until) * 1000)::float8 as until, p.version::float8 as version,
             (select array_agg((extract(epoch from d.day) * 1000)::float8) from dirty_rollup_days d
              where d.integration_id = $1 and d.day >= $2 and d.day < $4) as dirty,
             (select array_agg(distinct (extract(epoch from r.start) * 1000)::float8) from hourly_rollups r
              where r.integration_id = $1 and r.kind in ('run_any', 'job_any')
                and r.start >= greatest($3::timestamptz, p.finalized_until) and r.start < $4) as open,
             (select (extract(epoch from r.start) * 1000)::float8 from hourly_rollups r
              where r.integration_id = $1 and r.kind = 'run_any' order by r.start limit 1) as first
           from (select) one left join (
             select finalized_until, version from rollup_progress where integration_id = $1) p on true`,
    values: [integrationId, ...[floor(from, dayMs), from, to].map((time) => new Date(time).toISOString())],
  });
  const { until, version, dirty, open, first } = rows[0] ?? {};
  return {
    finalizedUntil: until ?? 0,
    version: version ?? 0,
    dirtyDays: new Set(dirty),
    openHours: open ?? [],
    firstHour: first ?? Number.POSITIVE_INFINITY,
  };
}

/** Changes with each change of a finalized hour, of any span. */
export async function findRollupVersion(tx: Tx, integrationId: string): Promise<string> {
  const version = await tx.value<string>({
    name: 'find-rollup-version',
    text: 'select version from rollup_progress where integration_id = $1',
    values: [integrationId],
  });
  return version ?? '0';
}
