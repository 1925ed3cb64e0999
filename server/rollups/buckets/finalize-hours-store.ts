import type { Tx } from '#platform/database/database.ts';
import type { RollupBucket } from './rollup-buckets.ts';
import { writeCounts } from '#server/rollups/histograms.ts';
import type { Sums } from '#server/rollups/rollup-store.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Replaces the bucket's rows of one kind. */
export async function replaceBucketRows(
  tx: Tx,
  integrationId: string,
  { start, hours }: RollupBucket,
  kind: string,
  groups: readonly Sums[],
): Promise<void> {
  const key = [integrationId, kind, hours, new Date(start).toISOString()];
  const rows = groups.map(({ durations, queueTimes, branch, ...numbers }) => ({
    ...numbers,
    onDefaultBranch: branch && branch === 'default',
    durations: writeCounts(durations),
    queueTimes: writeCounts(queueTimes),
  }));
  await Promise.all([
    tx.query({
      name: 'delete-bucket',
      text: 'delete from rollup_blocks where integration_id = $1 and kind = $2 and hours = $3 and start = $4',
      values: key,
    }),
    tx.query({
      name: 'insert-bucket',
      text: `insert into rollup_blocks (integration_id, kind, hours, start, cell, repository, workflow, job, runner,
               on_default_branch, count, succeeded, failed, cancelled, reruns, billable_minutes, duration_ms,
               durations, queue_times)
             select $1, $2, $3, $4, row_number() over (), c.* from json_to_recordset($5) c (repository text, workflow text,
               job text, runner text, "onDefaultBranch" boolean, count bigint, succeeded bigint, failed bigint,
               cancelled bigint, reruns bigint, "billableMinutes" bigint, "durationMs" bigint,
               durations text, "queueTimes" text)`,
      values: [...key, JSON.stringify(rows)],
    }),
  ]);
}

export async function setFinalizedUntil(tx: Tx, integrationId: string, until: number): Promise<void> {
  await tx.query({
    name: 'set-rollup-progress',
    text: `insert into rollup_progress (integration_id, until) values ($1, $2)
           on conflict (integration_id) do update set until = excluded.until`,
    values: [integrationId, new Date(until).toISOString()],
  });
}

/** The database's clock, which all processes share. */
export async function findNow(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ now: number }>(
    'select (extract(epoch from now()) * 1000)::float8 as now',
  );
  return rows[0]?.now ?? 0;
}

/** The first hour at or after `start` that has numbers. */
export async function findNextHour(
  tx: Tx,
  integrationId: string,
  start: number,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ next: number | null }>({
    name: 'find-next-rollup-hour',
    text: `select min(extract(epoch from c.hour) * 1000)::float8 as next
           from unnest('{run_any,job_any}'::text[]) k (kind)
           cross join lateral (
             select r.hour from rollups r
             where r.integration_id = $1 and r.kind = k.kind and r.hour >= $2 order by r.hour limit 1) c`,
    values: [integrationId, new Date(start).toISOString()],
  });
  return rows[0]?.next ?? undefined;
}

export async function findFirstDirtyHour(tx: Tx, integrationId: string): Promise<number | undefined> {
  const { rows } = await tx.query<{ start: number }>({
    name: 'find-first-dirty-hour',
    text: `select (extract(epoch from start) * 1000)::float8 as start from rollup_gaps
           where integration_id = $1 order by start limit 1`,
    values: [integrationId],
  });
  return rows[0]?.start;
}

/** The buckets that contain the hour were recomputed, so the version of the integration's numbers is incremented. */
export async function clearDirtyHour(tx: Tx, integrationId: string, start: number): Promise<void> {
  await tx.query({
    name: 'clear-dirty-hour',
    text: `with ended as (delete from rollup_gaps where integration_id = $1 and start = $2)
           update rollup_progress set version = version + 1 where integration_id = $1`,
    values: [integrationId, new Date(start).toISOString()],
  });
}

/**
 * Marks finalized hours that `deltas` change as dirty. `now` is the database's clock: the hour in progress is never finalized,
 * so most changes need no query. Looks rows up key by key for the reason given at `rowOfKey` in multi-row.ts.
 */
export function markDirtyHours(tx: Tx, deltas: readonly RollupRow[], now = Number.POSITIVE_INFINITY): void {
  const over = deltas.filter(({ hour }) => hour + hourMs <= now);
  if (over.length === 0) return;
  void tx.query({
    name: 'mark-dirty-hours',
    text: `insert into rollup_gaps (integration_id, start)
           select k.integration_id, k.start from unnest($1::uuid[], $2::timestamptz[]) k (integration_id, start)
           join lateral (
             select until from rollup_progress p where p.integration_id = k.integration_id limit 1) p on p.until > k.start
           on conflict do nothing`,
    values: [
      over.map(({ integrationId }) => integrationId),
      over.map(({ hour }) => new Date(hour).toISOString()),
    ],
  });
}
