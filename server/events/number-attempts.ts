import { ticksPerMs } from './parsing/delivery-time.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { unnumbered } from './parsing/payload-fields.ts';
import { runKey, type RunOfJobs, type RunRow } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import { deliveryOf, withAttempt } from '#server/runs/staleness.ts';

/** An event that arrives within this time after the completion was sent before it and is out of order. */
const overtakenWithin = 3_000n * ticksPerMs;

/**
 * Assigns an attempt to events that have none (Gitea). An event that is not completed, after the run was, begins the next
 * attempt, and so do a job and a run that started again after their end. When the product itself asked for another attempt, it begins with
 * the first event that is not completed, however soon. A job belongs to the current attempt of its run. `stored` are the stored
 * runs and jobs of the events. Other events stay unchanged.
 */
export function numberAttempts(
  stored: {
    workflow_run: readonly RunRow[];
    workflow_job: readonly JobRow[];
    runsOfJobs: ReadonlyMap<string, RunOfJobs>;
  },
  events: readonly MonitoringEvent[],
): readonly MonitoringEvent[] {
  if (!events.some(isUnnumbered)) return events;
  const runs = new Map(stored.workflow_run.map((run) => [runKey(run), run]));
  const jobs = new Map<string, JobRow>();
  for (const job of stored.workflow_job) keepLatest(jobs, job);
  const isAskedFor = (run: RunRow): boolean =>
    run.status === 'completed' && stored.runsOfJobs.get(runKey(run))?.rerunAskedAfter === run.attempt;
  return events.map((event): MonitoringEvent => {
    if (event.type === 'workflow_run') {
      const known = runs.get(runKey(event.row));
      const run = isUnnumbered(event)
        ? ofAttempt(event.row, attemptAfter(known, event.row, isAskedFor))
        : event.row;
      if (known === undefined || Buffer.compare(run.version, known.version) > 0) runs.set(runKey(run), run);
      return { ...event, row: run };
    }
    if (event.type !== 'workflow_job' || !isUnnumbered(event)) return event;
    const run = runs.get(runKey(event.row));
    const row = ofRun(event.row, run);
    const isAgain =
      run?.attempt === row.attempt &&
      run.updatedAt === null &&
      (startsAgain(jobs.get(latestKey(row)), row) || (row.status !== 'completed' && isAskedFor(run)));
    const numbered = isAgain ? { ...row, attempt: run.attempt + 1, createdAt: null } : row;
    if (isAgain) runs.set(runKey(run), beginning(run, numbered.attempt));
    keepLatest(jobs, numbered);
    return { ...event, row: numbered };
  });
}

const latestKey = ({ integrationId, runId, jobId }: JobRow): string => `${integrationId}/${runId}/${jobId}`;

function keepLatest(jobs: Map<string, JobRow>, job: JobRow): void {
  const known = jobs.get(latestKey(job));
  const isLater =
    known === undefined ||
    job.attempt > known.attempt ||
    (job.attempt === known.attempt && Buffer.compare(job.version, known.version) > 0);
  if (isLater) jobs.set(latestKey(job), job);
}

/** One clock tells both times, so this holds however soon after the end somebody runs the job again, and in any order of events. */
function startsAgain(known: JobRow | undefined, incoming: JobRow): boolean {
  return known !== undefined && known.attempt === incoming.attempt && isAfterEnd(known, incoming);
}

function isAfterEnd({ completedAt, startedAt }: Times, incoming: Times): boolean {
  const again = incoming.startedAt;
  return completedAt !== null && again !== null && again >= completedAt && again !== startedAt;
}

type Times = Pick<RunRow, 'startedAt' | 'completedAt'>;

export function isUnnumbered(event: MonitoringEvent): boolean {
  const hasAttempt = event.type === 'workflow_run' || event.type === 'workflow_job';
  return hasAttempt && event.row.attempt <= unnumbered;
}

function attemptAfter(
  known: RunRow | undefined,
  incoming: RunRow,
  isAskedFor: (run: RunRow) => boolean,
): number {
  if (known === undefined) return 1;
  const isAgain =
    incoming.status === 'completed'
      ? // Its beginning was lost, or is late.
        isAfterEnd(known, incoming)
      : known.status === 'completed' && (isLater(incoming, known) || isAskedFor(known));
  return isAgain ? known.attempt + 1 : known.attempt;
}

function isLater(incoming: RunRow, known: RunRow): boolean {
  return deliveryOf(incoming.version) > deliveryOf(known.version) + overtakenWithin;
}

function ofAttempt(run: RunRow, attempt: number): RunRow {
  return { ...run, attempt, version: withAttempt(run.version, attempt) };
}

/** The run in an attempt that one of its jobs has begun. The times of the attempt before would make its end begin one more. */
function beginning(run: RunRow, attempt: number): RunRow {
  return ofAttempt({ ...run, status: 'in_progress', startedAt: null, completedAt: null }, attempt);
}

/**
 * Gitea numbers the attempts of runs and jobs since 1.26, where each attempt has jobs of its own; only then runs have a time of their
 * last update. Before, a re-run job keeps its first creation time, which would give a wrong queue time.
 */
function ofRun(job: JobRow, run: RunRow | undefined): JobRow {
  const isNumbered = job.attempt < unnumbered && run !== undefined && run.updatedAt !== null;
  if (isNumbered) return { ...job, attempt: -job.attempt };
  // A job that comes before its run: older versions count its starts, which is the same or less.
  const attempt = run?.attempt ?? Math.max(1, -job.attempt);
  return { ...job, attempt, createdAt: attempt > 1 ? null : job.createdAt };
}
