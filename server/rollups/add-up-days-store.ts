import type { Tx } from '#platform/database/database.ts';
import { columnList, columnName } from '#platform/database/rows/multi-row.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { histogramNames, sumNames } from './quantities.ts';
import { hourlyTable } from './rollup-tables.ts';
import { rollupKinds } from './rollups.ts';
import { floor } from './time-span.ts';

/** A day that is over and whose rows in `daily_rollups` are missing or out of date; the first of several. */
export function findDirtyDay(tx: Tx, integrationId: string): Promise<Date | undefined> {
  return tx.value<Date>({
    name: 'find-dirty-day',
    text: `select d.day from dirty_rollup_days d
           where d.integration_id = $1 and d.day <= (
             select finalized_until - interval '1 day' from rollup_progress where integration_id = $1)
           order by d.day limit 1`,
    values: [integrationId],
  });
}

/** Replaces the rows of a day by the sums of its hours. */
export async function addUpDay(tx: Tx, integrationId: string, day: Date): Promise<void> {
  const sums = [
    ...sumNames.map((name) => `sum(${columnName(name)})`),
    ...histogramNames.map((name) => `sum_counts(${columnName(name)})`),
  ];
  const names = 'repository, workflow, job, runner, on_default_branch, is_sample';
  await Promise.all([
    tx.query({
      name: 'delete-day',
      text: 'delete from daily_rollups where integration_id = $1 and kind = any ($2) and start = $3',
      values: [integrationId, rollupKinds, day],
    }),
    tx.query({
      name: 'insert-day',
      text: `insert into daily_rollups (${columnList(hourlyTable)})
             select integration_id, kind, $3, series, ${names}, ${sums.join(', ')} from hourly_rollups
             where integration_id = $1 and kind = any ($2) and start >= $3 and start < $4
             group by integration_id, kind, series, ${names} having sum(count) > 0`,
      values: [integrationId, rollupKinds, day, new Date(day.getTime() + dayMs)],
    }),
    tx.query({
      name: 'clear-dirty-day',
      text: 'delete from dirty_rollup_days where integration_id = $1 and day = $2',
      values: [integrationId, day],
    }),
  ]);
}

/** The end of the last hour that can be finalized: `waitMs` ago by the earlier one of `now` and the database's clock. */
const endOfHours = (now: string, waitMs: string) =>
  `date_trunc('hour', least(${now}::timestamptz, now()) - ${waitMs} * interval '1 millisecond', 'UTC')`;

/** Whether `finalizeHours` has hours to finalize. */
export async function hasHoursToFinalize(
  tx: Tx,
  integrationId: string,
  now: Date,
  waitMs: number,
): Promise<boolean> {
  const has = await tx.value<boolean>({
    name: 'has-hours-to-finalize',
    text: `select coalesce((select finalized_until from rollup_progress where integration_id = $1), '-infinity')
             < ${endOfHours('$2', '$3')} as has`,
    values: [integrationId, now, waitMs],
  });
  return has ?? false;
}

/** Finalizes all hours that are over, and marks their days as dirty, so that they are added up once they are over too. */
export async function finalizeHours(tx: Tx, integrationId: string, now: Date, waitMs: number): Promise<void> {
  await tx.query({
    name: 'finalize-hours',
    text: `with ended as (select ${endOfHours('$2', '$3')} as until),
           marked as (
             insert into dirty_rollup_days (integration_id, day)
             select distinct $1::uuid, date_trunc('day', r.start, 'UTC') from hourly_rollups r
             where r.integration_id = $1 and r.kind in ('run_any', 'job_any') and r.start < (select until from ended)
               and r.start >= coalesce((select finalized_until from rollup_progress where integration_id = $1), '-infinity')
             on conflict do nothing)
           insert into rollup_progress as p (integration_id, finalized_until) select $1, until from ended
           on conflict (integration_id) do update set finalized_until = greatest(p.finalized_until, excluded.finalized_until)`,
    values: [integrationId, now, waitMs],
  });
}

/** If the hour is finalized, marks its day as dirty and increments the version of the numbers. Does not wait for the answer. */
export function markDirtyDay(tx: Tx, integrationId: string, hour: number): void {
  void tx.query({
    name: 'mark-dirty-day',
    text: `with changed as (
             update rollup_progress set version = version + 1 where integration_id = $1 and finalized_until > $2
             returning integration_id)
           insert into dirty_rollup_days (integration_id, day) select integration_id, $3 from changed
           on conflict do nothing`,
    values: [integrationId, new Date(hour).toISOString(), new Date(floor(hour, dayMs)).toISOString()],
  });
}
