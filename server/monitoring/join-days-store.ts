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

const names = ['repository', 'workflow', 'job', 'runner', 'on_default_branch', 'conclusion'] as const;
type Name = (typeof names)[number];

const sums = `sum(count), sum(reruns), sum(billable_minutes), sum(duration_ms), sum(queue_ms), sum_counts(durations),
  sum_counts(queue_times)`;

const into = `insert into rollups_daily (integration_id, kind, hour, series, ${names.join(', ')}, count, reruns,
  billable_minutes, duration_ms, queue_ms, durations, queue_times)`;

/** Adds the hours of a day up, anew when it was added up before; the caller is the only writer of the numbers. */
export async function joinDay(tx: Tx, integrationId: string, day: Date): Promise<void> {
  const all = names.join(', ');
  const texts = [
    'delete from rollups_daily where integration_id = $1 and hour = $2 and kind = any ($3)',
    `${into} select integration_id, kind, $2, series, ${all}, ${sums} from rollups
     where integration_id = $1 and kind = any ($3) and hour >= $2 and hour < $2::timestamptz + interval '24 hours'
     group by integration_id, kind, series, ${all} having sum(count) > 0`,
    coarser('run', 'run_any', ['conclusion']),
    coarser('job', 'job_any', ['conclusion']),
    coarser('job', 'job_workflow', ['repository', 'workflow', 'runner', 'on_default_branch']),
    'insert into rollup_days (integration_id, day) select $1, $2 where $3::text[] is not null on conflict do nothing',
  ];
  const kinds = ['run', 'job', 'runner', 'run_any', 'job_any', 'job_workflow'];
  await Promise.all(texts.map((text) => tx.query(text, [integrationId, day, kinds])));
}

/** Sums of a day's sums, by some of their names. */
function coarser(from: string, kind: string, kept: readonly Name[]): string {
  const shown = names.map((name) => (kept.includes(name) ? name : `null as ${name}`));
  const series = kept.map((name) => `coalesce(${name}::text, '')`).join(` || chr(31) || `);
  return `${into} select integration_id, '${kind}', hour, substr(sha256(convert_to(${series}, 'UTF8')), 1, 16),
      ${shown.join(', ')}, ${sums}
    from rollups_daily where integration_id = $1 and hour = $2 and kind = '${from}' and '${from}' = any ($3::text[])
    group by integration_id, hour, ${kept.join(', ')}`;
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
