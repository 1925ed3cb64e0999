import type { JobFact, RunFact } from '../world/facts.ts';
import type { Rows } from './rows.ts';
import { red, workflowKey } from './states.ts';

/** The numbers of completed runs or jobs. */
export interface Numbers {
  runs: number;
  succeeded: number;
  failed: number;
  reruns: number;
  recovered: number;
  billableMinutes: number;
  /** In milliseconds, ascending: what percentiles are of. */
  durations: number[];
}

export interface Figures {
  /** Runs count by their newest attempt. */
  total: Numbers;
  /** By the key of the workflow. */
  workflows: Map<string, Numbers>;
  /** Jobs of each attempt, by their name and the key of their workflow. */
  jobs: Map<string, Numbers>;
}

/** Runs that have not ended. */
export interface UnfinishedRuns {
  running: number;
  waiting: number;
}

const minute = 60_000;

/** What completed since `from`. A job whose completion was lost counts nowhere: nobody knows how long it took. */
export function figuresOf({ runs, jobs }: Rows, from: number): Figures {
  const isCounted = ({ status, endedAt }: RunFact | JobFact): boolean =>
    status === 'completed' && (endedAt ?? 0) >= from;
  const newest = [...runs.values()].map((run) => run.newest);
  const counted = newest.filter(isCounted);
  const countedJobs = [...jobs.values()].filter((job) => !job.isEndedByRun && isCounted(job));
  const byWorkflow = new Map<string, Numbers>();
  for (const [key, list] of Map.groupBy(counted, workflowKey))
    byWorkflow.set(
      key,
      numbersOf(
        list,
        countedJobs.filter((job) => workflowKey(job) === key),
      ),
    );
  const byJob = new Map<string, Numbers>();
  for (const [key, list] of Map.groupBy(countedJobs, jobKey)) byJob.set(key, numbersOf(list, list));
  return {
    total: numbersOf(counted, countedJobs),
    workflows: byWorkflow,
    jobs: byJob,
  };
}

/** No forge lets a run wait or run longer. What ended it never arrived. */
const longestRunMs = 35 * 24 * 60 * minute;

export function unfinishedRuns({ runs }: Rows, now: number): UnfinishedRuns {
  const unfinished = [...runs.values()].flatMap(({ newest }) =>
    newest.status !== 'completed' && (newest.createdAt ?? now) >= now - longestRunMs ? [newest.status] : [],
  );
  const running = unfinished.filter((status) => status === 'in_progress').length;
  return { running, waiting: unfinished.length - running };
}

const jobKey = (job: JobFact): string => `${workflowKey(job)} / ${job.name}`;

function numbersOf(list: readonly (RunFact | JobFact)[], billed: readonly JobFact[]): Numbers {
  const count = (isOne: (each: RunFact | JobFact) => boolean): number => list.filter(isOne).length;
  return {
    runs: list.length,
    succeeded: count(({ conclusion }) => conclusion === 'success'),
    failed: count(({ conclusion }) => red.includes(conclusion ?? '')),
    reruns: count(({ attempt }) => attempt > 1),
    recovered: count(({ attempt, conclusion }) => attempt > 1 && conclusion === 'success'),
    // Forges bill each started minute of a job.
    billableMinutes: billed
      .filter(({ conclusion }) => conclusion !== 'skipped')
      .reduce((sum, job) => sum + Math.ceil((durationOf(job) ?? 0) / minute), 0),
    durations: list
      .filter(({ conclusion }) => conclusion !== 'cancelled' && conclusion !== 'skipped')
      .flatMap((each) => durationOf(each) ?? [])
      .toSorted((one, other) => one - other),
  };
}

function durationOf({ startedAt, endedAt }: RunFact | JobFact): number | null {
  return startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt);
}
