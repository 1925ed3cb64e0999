import { randomBytes } from 'node:crypto';
import { createDeliveryIds } from '../delivery-id.ts';
import type { SimulatedEvent } from '../event.ts';
import { wholeSecond } from '../payload/objects.ts';
import { failureOfJob } from './job-log.ts';
import type { JobPayload, RunPayload, SampleRuns } from './sample-runs.ts';

export type RerunKind = 'failed' | 'all' | 'job';

/** Between two events of a re-run. */
export const eventEveryMs = 500;

/**
 * The events of a new attempt, which begins now. Failures of the infrastructure are gone, other jobs end as before. `id` is the run,
 * or the job for `job`. Returns the reason of a refusal as text.
 */
export function rerunEvents(
  runs: SampleRuns,
  kind: RerunKind,
  id: number,
  now: number,
): SimulatedEvent[] | string {
  const runId = kind === 'job' ? runs.job(id)?.workflow_job.run_id : id;
  const run = runId === undefined ? undefined : runs.run(runId);
  if (run === undefined) return 'The sample forge has forgotten this run. Send sample traffic again.';
  if (run.workflow_run.status !== 'completed') return 'This workflow is already running';
  const jobs = chosenJobs(runs, run, kind, id);
  if (jobs.length === 0) return 'This workflow run has no jobs to re-run';
  return eventsOf(run, jobs, now);
}

/** Of the latest attempt of each job. */
function chosenJobs(runs: SampleRuns, run: RunPayload, kind: RerunKind, id: number): JobPayload[] {
  const latest = new Map(
    runs
      .jobsOf(run.workflow_run.id)
      .toSorted((one, other) => one.workflow_job.run_attempt - other.workflow_job.run_attempt)
      .map((job) => [job.workflow_job.name, job]),
  );
  const name = runs.job(id)?.workflow_job.name;
  return [...latest.values()].filter(({ workflow_job: job }) => {
    if (kind === 'job') return job.name === name;
    return kind === 'all' || job.conclusion !== 'success';
  });
}

function eventsOf(run: RunPayload, jobs: readonly JobPayload[], now: number): SimulatedEvent[] {
  const attempt = run.workflow_run.run_attempt + 1;
  const deliveryId = createDeliveryIds(randomBytes(6).toString('hex'));
  const events: SimulatedEvent[] = [];
  const at = (): number => now + events.length * eventEveryMs;
  const addRun = (action: RunPayload['action'], conclusion: RunPayload['workflow_run']['conclusion']) => {
    const status = action === 'requested' ? ('queued' as const) : action;
    const changes = { run_attempt: attempt, status, conclusion, updated_at: wholeSecond(at()) };
    const payload = {
      ...run,
      action,
      workflow_run: { ...run.workflow_run, ...changes, run_started_at: wholeSecond(now) },
    };
    events.push({ eventType: 'workflow_run', payload, deliveryId: deliveryId(at()), at: at() });
  };
  const addJob = (payload: JobPayload): void => {
    events.push({ eventType: 'workflow_job', payload, deliveryId: deliveryId(at()), at: at() });
  };
  addRun('requested', null);
  addRun('in_progress', null);
  let hasFailed = false;
  for (const [index, job] of jobs.entries()) {
    const failure = failureOfJob(job);
    const isSame = failure !== undefined && failure.passesOnRerun !== true;
    const waited = job.workflow_job.conclusion === 'skipped' && hasFailed;
    hasFailed ||= isSame;
    const conclusion = isSame ? 'failure' : waited ? 'skipped' : 'success';
    const next = { job, id: now * 1000 + index, attempt };
    const startedAt = at();
    addJob(changedJob(next, 'in_progress', null, startedAt, startedAt));
    addJob(changedJob(next, 'completed', conclusion, startedAt, at()));
  }
  addRun('completed', hasFailed ? 'failure' : 'success');
  return events;
}

function changedJob(
  { job, id, attempt }: { job: JobPayload; id: number; attempt: number },
  status: 'in_progress' | 'completed',
  conclusion: JobPayload['workflow_job']['conclusion'],
  startedAt: number,
  at: number,
): JobPayload {
  const isOver = status === 'completed';
  const [began, ends] = [wholeSecond(startedAt), wholeSecond(at)];
  const steps = job.workflow_job.steps.map((step) => ({
    ...step,
    status: 'completed',
    conclusion: conclusion === 'failure' ? step.conclusion : ('success' as const),
    started_at: began,
    completed_at: ends,
  }));
  return {
    ...job,
    action: status,
    workflow_job: {
      ...job.workflow_job,
      id,
      run_attempt: attempt,
      status,
      conclusion,
      created_at: began,
      started_at: began,
      completed_at: isOver ? ends : null,
      steps: isOver ? steps : [],
    },
  };
}
