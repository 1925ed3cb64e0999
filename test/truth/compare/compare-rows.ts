import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { JobFact, RunFact } from '../world/facts.ts';
import { failed, jobName, type JobRow, type Rows } from '../model/rows.ts';
import type { Shown } from '../product/shown.ts';
import type { Differences } from './differences.ts';

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Runs, their attempts and their jobs. */
export function compareRows({ runs, jobs }: Rows, { runs: list, details }: Shown, differences: Differences) {
  differences.sameSet(
    'runs',
    list.map(({ runId }) => `run ${runId}`),
    [...runs.keys()].map((runId) => `run ${runId}`),
  );
  for (const run of list) {
    const expected = runs.get(run.runId);
    const detail = details.get(run.runId);
    if (expected === undefined || detail === undefined) continue;
    const { newest, attempts } = expected;
    const what = `run ${run.runId} (${newest.workflow.name} #${newest.number})`;
    differences.sameFields(what, run, ofRunFact(newest));
    differences.sameFields(`${what} on its page`, detail.run, run);
    differences.same(
      `${what}: attempts`,
      detail.attempts
        .map(({ attempt, status, conclusion }) => [attempt, status, conclusion])
        .toSorted((one, other) => Number(one[0]) - Number(other[0])),
      [...attempts.values()]
        .toSorted((one, other) => one.attempt - other.attempt)
        .map((fact) => attemptOf(fact, newest)),
    );
    compareJobs(
      what,
      detail.jobs,
      [...jobs.values()].filter(({ runId }) => runId === run.runId),
      differences,
    );
  }
}

/** Each attempt that failed is in the event log once, in whatever order the events arrived. */
export function compareFailedRuns({ runs }: Rows, { failedRuns }: Shown, differences: Differences): void {
  differences.sameSet(
    'event log',
    failedRuns.map(
      ({ details }) => `attempt ${String(details['attempt'])} of run ${String(details['runId'])} failed`,
    ),
    [...runs.values()].flatMap(({ attempts }) =>
      [...attempts.values()]
        .filter(({ status, conclusion }) => status === 'completed' && failed.includes(conclusion ?? ''))
        .map(({ runId, attempt }) => `attempt ${attempt} of run ${runId} failed`),
    ),
  );
}

/** Nobody knows how an attempt ended whose completion was lost, only that the next one ended it. */
function attemptOf(fact: RunFact, newest: RunFact): unknown[] {
  const { attempt, status, conclusion } = fact;
  return attempt < newest.attempt && status !== 'completed'
    ? [attempt, 'completed', null]
    : [attempt, status, conclusion];
}

function compareJobs(
  what: string,
  shown: readonly WorkflowJob[],
  expected: readonly JobRow[],
  differences: Differences,
): void {
  differences.sameSet(`${what}: jobs`, shown.map(jobName), expected.map(jobName));
  for (const job of shown) {
    const fact = expected.find((each) => jobName(each) === jobName(job));
    if (fact === undefined) continue;
    const name = `${what}: job ${jobName(job)} (${fact.name})`;
    if (fact.isEndedByRun) {
      differences.same(
        name,
        [job.status, iso(Date.parse(job.completedAt ?? ''))],
        ['completed', iso(fact.endedAt)],
      );
      if (job.conclusion !== null && job.conclusion !== 'cancelled')
        differences.add(`${name} has the conclusion ${job.conclusion}, and its run ended before it did`);
    } else differences.sameFields(name, job, ofJobFact(fact));
  }
}

function ofRunFact(run: RunFact): Partial<WorkflowRun> {
  const { attempt, number: runNumber, status, conclusion, title, branch, sha, actor, trigger } = run;
  return {
    attempt,
    runNumber,
    status,
    conclusion,
    title,
    headBranch: branch,
    headSha: sha,
    actor,
    event: trigger,
    ...(run.createdAt !== null && { createdAt: new Date(run.createdAt).toISOString() }),
    startedAt: iso(run.startedAt),
    completedAt: iso(run.endedAt),
    durationMs: run.endedAt === null ? null : lasting(run.startedAt, run.endedAt),
  };
}

function ofJobFact(job: JobFact): Partial<WorkflowJob> {
  // GitHub may say that a job that never ran started after its end.
  const isReal = job.startedAt !== null && (job.endedAt === null || job.startedAt <= job.endedAt);
  const startedAt = isReal ? job.startedAt : null;
  const neverRan = job.endedAt !== null && startedAt === null;
  return {
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    labels: [job.label],
    createdAt: iso(job.createdAt),
    startedAt: iso(startedAt),
    completedAt: iso(job.endedAt),
    queueMs: startedAt === null ? null : Math.max(0, startedAt - job.createdAt),
    durationMs: neverRan ? 0 : lasting(startedAt, job.endedAt),
  };
}

function lasting(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from);
}
