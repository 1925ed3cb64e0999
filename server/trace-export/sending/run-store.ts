import type { Tx } from '#platform/database/database.ts';
import { decodeSteps } from '#server/runs/objects/steps.ts';
import type { FinishedJob, FinishedRun, TracePart } from '../traces/finished-run.ts';
import type { WaitingRun } from './queue-store.ts';

export interface ReadLimits {
  jobs: number;
  stepBytes: number;
}

export interface PartOfRun {
  waiting: WaitingRun;
  /** Undefined when nothing of the run is stored. */
  part: TracePart | undefined;
  /** The last job of the part; undefined when it has the last job of the run. */
  continuesAfter: number | undefined;
}

/** Reads the runs in their order, up to the limits. What does not fit is left for the next request. */
export async function readParts(
  tx: Tx,
  integrationId: string,
  waiting: readonly WaitingRun[],
  limits: ReadLimits,
): Promise<PartOfRun[]> {
  if (waiting.length === 0) return [];
  const [runs, { jobs, isCut }] = await Promise.all([
    listRuns(tx, integrationId, waiting),
    listJobs(tx, integrationId, waiting, limits),
  ]);
  const jobsOf = Map.groupBy(jobs, ({ place }) => place);
  const last = isCut ? jobs.at(-1) : undefined;
  return waiting.slice(0, last?.place ?? waiting.length).map((each, index): PartOfRun => {
    const run = runs.get(index + 1);
    const own = jobsOf.get(index + 1) ?? [];
    const hasRunSpan = each.afterJob === 0;
    return {
      waiting: each,
      part: run === undefined ? undefined : { run, hasRunSpan, jobs: own.map(({ job }) => job) },
      continuesAfter: last?.place === index + 1 ? last.job.jobId : undefined,
    };
  });
}

async function listRuns(
  tx: Tx,
  integrationId: string,
  waiting: readonly WaitingRun[],
): Promise<Map<number, FinishedRun>> {
  const { rows } = await tx.query<FinishedRun & { place: string; runId: string; pullRequest: string | null }>(
    {
      name: 'list-runs-to-export',
      text: `select w.place, r.run_id as "runId", w.attempt, r.repository,
             coalesce(a.workflow_name, r.workflow_name, r.workflow_path) as workflow,
             case when r.attempt = w.attempt then r.conclusion else a.conclusion end as conclusion,
             r.event, r.head_branch as "headBranch", r.head_sha as "headSha", r.first_pull_request as "pullRequest", r.url,
             coalesce(case when r.attempt > w.attempt then a.started_at end, r.created_at) as "createdAt",
             case when r.attempt = w.attempt then r.started_at else a.started_at end as "startedAt",
             case when r.attempt = w.attempt then r.completed_at else a.completed_at end as "completedAt"
           from unnest($2::bigint[], $3::integer[]) with ordinality as w (run_id, attempt, place)
             join workflow_runs r on r.integration_id = $1 and r.run_id = w.run_id
             left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = w.run_id and a.attempt = w.attempt
               and r.attempt <> w.attempt`,
      values: [integrationId, waiting.map(({ runId }) => runId), waiting.map(({ attempt }) => attempt)],
    },
  );
  return new Map(
    rows.map(({ place, runId, pullRequest, ...run }) => [
      Number(place),
      { ...run, runId: Number(runId), pullRequest: pullRequest === null ? null : Number(pullRequest) },
    ]),
  );
}

interface PlacedJob {
  /** Of its run, from 1. */
  place: number;
  job: FinishedJob;
}

/** Completed jobs in the order of the runs. The sum of the steps limits the memory; the first job is always read. */
async function listJobs(
  tx: Tx,
  integrationId: string,
  waiting: readonly WaitingRun[],
  { jobs: most, stepBytes }: ReadLimits,
): Promise<{ jobs: PlacedJob[]; isCut: boolean }> {
  type Row = FinishedJob & { place: string; jobId: string; steps: string; found: string };
  const { rows } = await tx.query<Row>({
    name: 'list-jobs-to-export',
    text: `select place, job_id as "jobId", name, conclusion, url, runner_name as "runnerName", runner_group as "runnerGroup", labels,
             created_at as "createdAt", started_at as "startedAt", completed_at as "completedAt", steps::text as steps, found
           from (
             select *, count(*) over () as found, sum(octet_length(steps::text)) over (order by place, job_id) as total
             from (
               select w.place, j.* from unnest($2::bigint[], $3::integer[], $4::bigint[]) with ordinality
                   as w (run_id, attempt, after_job, place)
                 join workflow_jobs j on j.integration_id = $1 and j.run_id = w.run_id and j.attempt = w.attempt
                   and j.job_id > w.after_job
               where j.completed_at is not null
               order by w.place, j.job_id limit $5) bounded) counted
           where total - octet_length(steps::text) < $6 order by place, job_id`,
    values: [
      integrationId,
      waiting.map(({ runId }) => runId),
      waiting.map(({ attempt }) => attempt),
      waiting.map(({ afterJob }) => afterJob),
      most,
      stepBytes,
    ],
  });
  const found = Number(rows[0]?.found ?? 0);
  return {
    jobs: rows.map(({ place, ...job }) => ({
      place: Number(place),
      job: { ...job, jobId: Number(job.jobId), steps: decodeSteps(job.steps) },
    })),
    isCut: found === most || rows.length < found,
  };
}
