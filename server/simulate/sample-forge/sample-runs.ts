import type { SimulatedEvent } from '../event.ts';
import type { jobPayload } from '../payload/job.ts';
import type { runPayload } from '../payload/run.ts';

export type RunPayload = ReturnType<typeof runPayload>;
export type JobPayload = ReturnType<typeof jobPayload>;

export interface SampleRuns {
  /** Remembers the run or job as the event shows it. */
  note(event: SimulatedEvent): void;
  run(runId: number): RunPayload | undefined;
  /** The newest run of a commit. */
  runOfCommit(sha: string): RunPayload | undefined;
  job(jobId: number): JobPayload | undefined;
  /** The jobs of all attempts. */
  jobsOf(runId: number): JobPayload[];
}

interface SampleRun {
  latest: RunPayload | undefined;
  jobIds: Set<number>;
}

/** Runs of one integration that are remembered. */
const maxRuns = 500;

/** The runs of the sample traffic of one integration, in memory. */
export function makeSampleRuns(): SampleRuns {
  const runs = new Map<number, SampleRun>();
  const jobs = new Map<number, JobPayload>();
  const runOf = (runId: number): SampleRun => {
    const run = runs.get(runId) ?? { latest: undefined, jobIds: new Set() };
    runs.set(runId, run);
    return run;
  };
  const forgetOldest = (): void => {
    const [oldest] = runs;
    if (runs.size <= maxRuns || oldest === undefined) return;
    runs.delete(oldest[0]);
    for (const jobId of oldest[1].jobIds) jobs.delete(jobId);
  };
  return {
    note: ({ eventType, payload }) => {
      if (eventType === 'workflow_run') runOf(payload.workflow_run.id).latest = payload;
      if (eventType === 'workflow_job') {
        const { id, run_id: runId } = payload.workflow_job;
        runOf(runId).jobIds.add(id);
        jobs.set(id, payload);
      }
      forgetOldest();
    },
    run: (runId) => runs.get(runId)?.latest,
    runOfCommit: (sha) =>
      [...runs.values()].findLast(({ latest }) => latest?.workflow_run.head_sha === sha)?.latest,
    job: (jobId) => jobs.get(jobId),
    jobsOf: (runId) => [...(runs.get(runId)?.jobIds ?? [])].flatMap((id) => jobs.get(id) ?? []),
  };
}
