import { failedConclusions, redConclusions } from '#contract/runs/conclusions.ts';
import type { LostKind } from '#contract/metrics/health.ts';
import { longestGroupName } from '#contract/metrics/metrics.ts';
import type { Tx } from '#platform/database/database.ts';
import { literals } from '#platform/database/rows/literals.ts';
import { ms, type Window } from './result-store.ts';

/** The minutes that a run lost in one way. */
export interface LostRow {
  repository: string;
  workflow: string;
  runId: number;
  runNumber: number | null;
  title: string | null;
  jobs: number;
  minutes: number;
  /** When the last of it completed, in milliseconds since the epoch. */
  at: number;
  /** The minutes by what they cost: runner labels as in rollups, and the day of UTC on which the job completed. */
  parts: { runner: string; day: string; minutes: number }[];
  /** Of the list: whether older ones may be missing. */
  isCut: boolean;
}

/** At most this many re-run jobs, superseded runs and failed runs are read, newest first. */
const most = { jobs: 5000, runs: 1000 };
/** Jobs of one run that are read. A matrix has at most 256. */
const maxJobs = 300;

const billed = (seconds: string): string => `ceil(greatest(0, extract(epoch from ${seconds})) / 60)`;
const minutesOf = (job: string): string =>
  `case when ${job}.conclusion = 'skipped' then 0 else coalesce(${billed(`${job}.completed_at - ${job}.started_at`)}, 0) end`;
const inWindow = 'completed_at >= $2 and completed_at < $3';

/** Jobs of later attempts. */
const rerun = `
  select j.run_id, j.labels, j.completed_at, ${minutesOf('j')} as minutes, j.completed_at as at,
    (select count(*) = ${most.jobs} from source) as is_cut
  from source j`;
const rerunSource = `
  select run_id, labels, conclusion, started_at, completed_at from workflow_jobs
  where integration_id = $1 and attempt > 1 and ${inWindow}
  order by completed_at desc, job_id desc limit ${most.jobs}`;

const firstJobs = `(
  select * from workflow_jobs j where j.integration_id = $1 and j.run_id = s.run_id and j.attempt = 1 limit ${maxJobs}) j`;

/** Jobs of runs that a newer run took the place of. */
const superseded = `
  select s.run_id, j.labels, j.completed_at, ${minutesOf('j')} as minutes, s.completed_at as at,
    (select count(*) = ${most.runs} from source) as is_cut
  from source s cross join lateral ${firstJobs}`;
const supersededSource = `
  select run_id, completed_at from workflow_runs
  where integration_id = $1 and superseded_by is not null and attempt = 1 and ${inWindow}
  order by completed_at desc limit ${most.runs}`;

/** What jobs were billed after the first one of their attempt had failed. */
const afterFailure = `
  select s.run_id, j.labels, j.completed_at, j.minutes, s.completed_at as at,
    (select count(*) = ${most.runs} from source) as is_cut
  from source s
  cross join lateral (
    select min(j.completed_at) as at from workflow_jobs j
    where j.integration_id = $1 and j.run_id = s.run_id and j.attempt = 1
      and j.conclusion in ${literals(failedConclusions)}) f
  cross join lateral (
    select j.labels, j.completed_at,
      ${minutesOf('j')} - ${billed('least(j.completed_at, greatest(j.started_at, f.at)) - j.started_at')} as minutes
    from ${firstJobs}
    where j.completed_at > f.at and j.started_at is not null and j.conclusion <> 'skipped') j
  where j.minutes > 0`;
const failed = (table: string, onDefault: boolean): string => `
  (select run_id, completed_at from ${table}
   where integration_id = $1 and on_default_branch = ${onDefault} and conclusion in ${literals(redConclusions)}
     and attempt = 1 and ${inWindow}
   order by completed_at desc limit ${most.runs})`;
const afterFailureSource = `
  select * from (${['workflow_runs', 'workflow_run_attempts']
    .flatMap((table) => [failed(table, true), failed(table, false)])
    .join(' union all ')}) f
  order by completed_at desc limit ${most.runs}`;

const queries: Record<LostKind, { source: string; rows: string }> = {
  rerun: { source: rerunSource, rows: rerun },
  superseded: { source: supersededSource, rows: superseded },
  afterFailure: { source: afterFailureSource, rows: afterFailure },
};

/** The runs that lost minutes in this way, those of the newest jobs or runs. */
export function listLost(
  tx: Tx,
  integrationId: string,
  kind: LostKind,
  { from, to }: Window,
  repository: string | undefined,
): Promise<LostRow[]> {
  const { source, rows } = queries[kind];
  return tx.rows<LostRow>({
    name: `list-lost ${kind}`,
    text: `with source as materialized (${source}), jobs as materialized (${rows}),
             parts as (
               select run_id, left(array_to_string(labels, ', '), ${longestGroupName}) as runner,
                 to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD') as day,
                 count(*) as jobs, sum(minutes) as minutes, max(at) as at, bool_or(is_cut) as is_cut
               from jobs group by 1, 2, 3),
             lost as materialized (
               select run_id, sum(jobs)::int as jobs, sum(minutes)::float8 as minutes, max(at) as at, bool_or(is_cut) as is_cut,
                 json_agg(json_build_object('runner', runner, 'day', day, 'minutes', minutes)) filter (where minutes > 0) as parts
               from parts group by run_id having sum(minutes) > 0)
           select r.repository, coalesce(r.workflow_name, '') as workflow, r.run_id::float8 as "runId",
             r.run_number::float8 as "runNumber", r.title, l.jobs, l.minutes,
             ${ms('l.at')} as at, l.is_cut as "isCut", l.parts
           from lost l cross join lateral (
             select * from workflow_runs w where w.integration_id = $1 and w.run_id = l.run_id limit 1) r
           where $4::text is null or r.repository = $4`,
    values: [integrationId, new Date(from).toISOString(), new Date(to).toISOString(), repository],
  });
}
