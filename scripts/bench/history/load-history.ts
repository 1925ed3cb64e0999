import type pg from 'pg';

export interface History {
  runs: number;
  jobsEach: number;
  /** Days up to now over which the runs are spread evenly. */
  days: number;
  repositories: number;
  workflowsEach: number;
}

export const usualHistory = { jobsEach: 4, days: 90, repositories: 10, workflowsEach: 3 } as const;

const runsAtOnce = 100_000;

/**
 * Fills an integration with completed runs, their jobs and rollups as the worker would write them, in SQL: a million runs take
 * minutes. `client` is the owner's. The rules of the rollups are repeated here in SQL, and a test compares them.
 */
export async function loadHistory(
  client: pg.Client,
  integrationId: string,
  history: History,
  say: (text: string) => void = () => {},
): Promise<void> {
  await client.query(`set synchronous_commit = off`);
  await client.query(`set work_mem = '128MB'`);
  await client.query(`set maintenance_work_mem = '1GB'`);
  await client.query(`select set_config('app.integration_id', $1, false)`, [integrationId]);
  const { rows } = await client.query<{ last: string }>(
    `select coalesce(max(run_id), 0) as last from workflow_runs where integration_id = $1`,
    [integrationId],
  );
  const first = Number(rows[0]?.last ?? 0) + 1;
  const makeIndexes = await dropIndexes(client);
  for (let done = 0; done < history.runs; done += runsAtOnce) {
    const count = Math.min(runsAtOnce, history.runs - done);
    const values = [integrationId, first + done, first + done + count - 1, ...timing(history, first)];
    await client.query(runsText(history), values);
    await client.query(jobsText, [integrationId, first + done, first + done + count - 1, history.jobsEach]);
    for (const text of [runCells, jobRollups, runnerCells])
      await client.query(intoRollups(text), [integrationId, first + done, first + done + count - 1]);
    say(`  ${done + count} of ${history.runs} runs`);
  }
  say('  making the indexes');
  for (const text of makeIndexes) await client.query(text);
  await client.query('vacuum analyze');
}

/** Drops the indexes of the filled tables that no constraint needs. Returns the statements that make them, each at once for all rows. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text from pg_index i
     where i.indrelid in ('workflow_runs'::regclass, 'workflow_jobs'::regclass)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ text }) => text);
}

/** Milliseconds between two runs, and the id of the run created now. */
function timing({ runs, days }: History, first: number): [number, number] {
  return [(days * 86_400_000) / runs, first + runs - 1];
}

/** A pseudo-random number from 0 to `most` - 1, the same on each call. */
function chance(what: string, most: number): string {
  return `abs(hashint8extended(${what}, 7) % ${most})::int`;
}

function runsText({ repositories, workflowsEach }: History): string {
  return `
    insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, conclusion, completed_at,
      on_default_branch, workflow_name, started_at, triggering_actor, updated_at, run_number, workflow_id, workflow_path,
      event, title, commit_message, head_branch, head_sha, actor, url, created_at, pull_requests)
    select $1, n, 1, '\\x0000', 'acme/repository-' || repo, 'completed',
      case when luck < 85 then 'success' when luck < 95 then 'failure' when luck < 98 then 'cancelled' else 'skipped' end,
      at + took, on_main, 'Workflow ' || flow, at, 'person-' || ${chance('n + 5', 40)}, at + took, n, flow,
      '.github/workflows/' || flow || '.yml', case when on_main then 'push' else 'pull_request' end,
      'Change number ' || n || ' of the load', 'Change number ' || n,
      case when on_main then 'main' else 'topic-' || n / 20 end, md5(n::text), 'person-' || ${chance('n + 5', 40)},
      'https://forge.test/runs/' || n, at, '{}'
    from (
      select n, ${chance('n', repositories)} as repo, ${chance('n + 1', workflowsEach)} as flow, ${chance('n + 2', 100)} as luck,
        ${chance('n + 3', 4)} = 0 as on_main,
        (20 + ${chance('n + 4', 600)}) * interval '1 second' as took,
        date_trunc('second', now()) - ($5::bigint - n) * $4::float8 * interval '1 millisecond' as exact
      from generate_series($2::bigint, $3::bigint) n) r
    cross join lateral (select date_trunc('second', r.exact) as at) t`;
}

const jobsText = `
  insert into workflow_jobs (integration_id, run_id, attempt, job_id, version, repository, name, status, conclusion,
    completed_at, on_default_branch, workflow_name, head_branch, head_sha, runner_name, runner_group, url, started_at,
    created_at, labels, steps)
  select integration_id, run_id, 1, run_id * 10 + k, '\\x0000', repository, 'job ' || k, 'completed', conclusion,
    completed_at, on_default_branch, workflow_name, head_branch, head_sha, 'runner-' || ${chance('run_id + k', 20)}, 'Default',
    url || '/' || k, created_at + ${chance('run_id + k * 7', 15)} * interval '1 second', created_at,
    case when k % 2 = 0 then '{ubuntu-latest}'::text[] else '{self-hosted,linux}' end,
    '[[1,"Set up job","completed","success",null,null],[2,"Run tests","completed","success",null,null]]'
  from workflow_runs cross join generate_series(1, $4::int) k
  where integration_id = $1 and run_id between $2 and $3`;

const sizes = `(extract(epoch from completed_at - started_at) * 1000)::bigint`;
const names = 'repository, workflow, job, runner, on_default_branch';

const runCells = `
  select 'run' as kind, completed_at, repository, workflow_name as workflow, null as job, null as runner, on_default_branch,
    conclusion, 0 as minutes, conclusion not in ('cancelled', 'skipped') as is_timed, ${sizes} as duration, null::bigint as queued
  from workflow_runs where integration_id = $1 and run_id between $2 and $3`;

const jobRollups = `
  select 'job' as kind, completed_at, repository, workflow_name as workflow, name as job, array_to_string(labels, ', ') as runner,
    on_default_branch, conclusion, case when conclusion = 'skipped' then 0 else ceil(${sizes} / 60000.0) end as minutes,
    conclusion not in ('cancelled', 'skipped') as is_timed, ${sizes} as duration,
    (extract(epoch from started_at - created_at) * 1000)::bigint as queued
  from workflow_jobs where integration_id = $1 and run_id between $2 and $3`;

const runnerCells = `
  select 'runner' as kind, completed_at, null as repository, null as workflow, null as job, runner_name as runner,
    null::boolean as on_default_branch, conclusion, 0 as minutes, false as is_timed, ${sizes} as duration, null::bigint as queued
  from workflow_jobs where integration_id = $1 and run_id between $2 and $3`;

function bucket(ms: string): string {
  return `case when ${ms} < 1 then 0 else floor(ln(${ms}::float8) / ln(1.04::float8))::int + 1 end`;
}

/** Counts by bucket as an array whose indexes are the buckets in use. */
function histogram(column: string): string {
  return `coalesce((
    select format('[%s:%s]={%s}', min(b), max(b), string_agg(coalesce(n, 0)::text, ',' order by b))::int[]
    from (select min(v) as first, max(v) as last from unnest(g.${column}) v) used
    cross join lateral generate_series(first, last) b
    left join (select v, count(*) as n from unnest(g.${column}) v group by v) counted on v = b
    having count(*) > 0), '{}')`;
}

/** The hash of the names, separated by NUL, as the product computes it. The last one says that it is no sample data. */
const series = `substr(sha256(${[...names.split(', '), 'false']
  .map((name) => `convert_to(coalesce(${name}::text, ''), 'UTF8')`)
  .join(` || '\\x00'::bytea || `)}), 1, 16)`;

const counts = {
  count: 'count(*)',
  succeeded: `count(*) filter (where conclusion = 'success')`,
  failed: `count(*) filter (where conclusion = 'failure')`,
  cancelled: `count(*) filter (where conclusion = 'cancelled')`,
  billable_minutes: 'sum(minutes)::bigint',
  busy_ms: 'coalesce(sum(duration), 0)',
};

/** Runs and jobs also count in the series of the whole integration. */
function intoRollups(cells: string): string {
  const columns = Object.keys(counts);
  return `
    insert into hourly_rollups as t (integration_id, kind, start, series, ${names}, ${columns.join(', ')}, reruns, durations, queue_times)
    select $1, kind, start, ${series}, ${names}, ${columns.join(', ')}, 0, ${histogram('durations')}, ${histogram('queue_times')}
    from (
      select case grouping(${names}) when 0 then kind else kind || '_any' end as kind, start, ${names},
        ${Object.entries(counts)
          .map(([name, sum]) => `${sum} as ${name}`)
          .join(', ')},
        array_agg(${bucket('duration')}) filter (where is_timed and duration is not null) as durations,
        array_agg(${bucket('queued')}) filter (where is_timed and queued is not null) as queue_times
      from (select *, date_trunc('hour', completed_at, 'UTC') as start from (${cells}) c) c
      group by kind, start, grouping sets ((${names}), ())
      having grouping(${names}) = 0 or kind <> 'runner') g
    on conflict (integration_id, kind, start, series) do update set
      ${columns.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')},
      durations = add_counts(t.durations, excluded.durations), queue_times = add_counts(t.queue_times, excluded.queue_times)`;
}
