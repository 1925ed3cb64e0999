import type { Tx } from '#platform/database/database.ts';
import type { RollupCell } from './rollups.ts';
import { dayMs } from './time-span.ts';

/** The days that have not been added up and ended before `until`, oldest first, at most `most`. */
export async function listOpenDays(
  tx: Tx,
  integrationId: string,
  since: Date,
  until: Date,
  most: number,
): Promise<Date[]> {
  const { rows } = await tx.query<{ day: Date }>({
    text: `select d.day from (
             select date_trunc('day', min(r.first), 'UTC') as first from unnest('{run,job,runner}'::text[]) k (kind)
             cross join lateral (
               select r.hour as first from rollups r
               where r.integration_id = $1 and r.kind = k.kind order by r.hour limit 1) r) s
           cross join lateral generate_series(greatest(s.first, $2::timestamptz), $3::timestamptz - interval '24 hours',
             interval '24 hours') d (day)
           where not exists (select from rollup_days j where j.integration_id = $1 and j.day = d.day)
           order by d.day limit ${most}`,
    values: [integrationId, since, until],
  });
  return rows.map(({ day }) => day);
}

const names = 'repository, workflow, job, runner, on_default_branch, conclusion';

/** Adds the hours of a day up, anew when it was added up before. */
export async function joinDay(tx: Tx, integrationId: string, day: Date): Promise<void> {
  const values = [integrationId, day];
  await Promise.all([
    tx.query(
      `delete from rollups_daily where integration_id = $1 and hour = $2 and kind = any ('{run,job,runner}')`,
      values,
    ),
    tx.query(
      `insert into rollups_daily (integration_id, kind, hour, series, ${names}, count, reruns, billable_minutes,
         duration_ms, queue_ms, durations, queue_times)
       select integration_id, kind, $2, series, ${names}, sum(count), sum(reruns), sum(billable_minutes),
         sum(duration_ms), sum(queue_ms), sum_counts(durations), sum_counts(queue_times)
       from rollups
       where integration_id = $1 and kind = any ('{run,job,runner}') and hour >= $2
         and hour < $2::timestamptz + interval '24 hours'
       group by integration_id, kind, series, ${names} having sum(count) > 0`,
      values,
    ),
    tx.query('insert into rollup_days (integration_id, day) values ($1, $2) on conflict do nothing', values),
  ]);
}

/** What changes a past day takes its sums away; today, and so nearly always, there is nothing to do. */
export function forgetDays(tx: Tx, deltas: readonly RollupCell[]): void {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const past = deltas.filter(({ hour }) => hour < today);
  if (past.length === 0) return;
  void tx.query({
    name: 'forget-days',
    text: `delete from rollup_days d using unnest($1::uuid[], $2::timestamptz[]) k (integration_id, day)
           where d.integration_id = k.integration_id and d.day = k.day`,
    values: [
      past.map(({ integrationId }) => integrationId),
      past.map(({ hour }) => new Date(hour - (hour % dayMs)).toISOString()),
    ],
  });
}
