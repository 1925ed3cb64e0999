import { branchName } from './branch-name.ts';
import type { Fact, JobFact, RunFact } from '../world/facts.ts';

/** A fact with its place in the order in which the forge made them. */
export interface Received {
  order: number;
  fact: Fact;
}

/** A run as it must be shown: each attempt by the newest of its facts that arrived. */
export interface RunRow {
  newest: RunFact;
  attempts: Map<number, RunFact>;
  /** A newer push cancelled its newest attempt. */
  isSuperseded?: boolean;
}

export interface JobRow extends JobFact {
  /** It has no completion of its own: its attempt ended. */
  isEndedByRun: boolean;
}

export interface Rows {
  runs: Map<number, RunRow>;
  jobs: Map<string, JobRow>;
}

export const jobName = ({ runId, attempt, jobId }: Pick<JobFact, 'runId' | 'attempt' | 'jobId'>): string =>
  `${runId}/${attempt}/${jobId}`;

/** A run that no event told before its fork was deleted is of a fork, and nobody knows of which. */
export function withUnknownForks(received: readonly Received[]): Received[] {
  const told = new Set(
    received.flatMap(({ fact }) => (fact.kind === 'run' && !fact.isForkGone ? [fact.runId] : [])),
  );
  return received.map(({ order, fact }) =>
    fact.kind === 'run' && !told.has(fact.runId)
      ? { order, fact: { ...fact, fork: 'fork', forkId: null } }
      : { order, fact },
  );
}

/** A fork is called as its newest event says, also in older ones. */
export function withNewestForks(received: readonly Received[]): Received[] {
  const owners = new Map(
    received
      .toSorted((one, other) => one.order - other.order)
      .flatMap(({ fact }) =>
        fact.kind === 'job' || fact.forkId === null || fact.isForkGone ? [] : [[fact.forkId, fact.fork]],
      ),
  );
  return received.map(({ order, fact }) =>
    fact.kind === 'job'
      ? { order, fact }
      : { order, fact: { ...fact, fork: owners.get(fact.forkId ?? 0) ?? fact.fork } },
  );
}

/** All names that the branch of a run has had with its fork, and the newest of each. */
export function forkBranches(told: readonly Received[], named: readonly Received[]): [string, RunFact][] {
  const newest = new Map(named.map(({ order, fact }) => [order, fact]));
  return told.flatMap(({ order, fact }) => {
    const now = newest.get(order);
    return fact.kind === 'run' && now?.kind === 'run' && now.fork !== fact.fork
      ? [[branchName(fact), now] as [string, RunFact]]
      : [];
  });
}

/** Late, repeated and lost events change nothing but what nobody could know. */
export function rowsOf(received: readonly Received[]): Rows {
  const runs = new Map<number, RunRow>();
  const jobs = new Map<string, JobRow>();
  for (const { fact } of received.toSorted((one, other) => one.order - other.order)) {
    if (fact.kind === 'run') {
      const attempts = (runs.get(fact.runId)?.attempts ?? new Map<number, RunFact>()).set(fact.attempt, fact);
      runs.set(fact.runId, { newest: attempts.get(Math.max(...attempts.keys())) ?? fact, attempts });
    } else if (fact.kind === 'job') jobs.set(jobName(fact), { ...fact, isEndedByRun: false });
  }
  for (const [runId, run] of runs) runs.set(runId, startedByJobs(run, jobs));
  for (const [runId, run] of runs) runs.set(runId, superseded(run, runs, jobs));
  for (const [name, job] of jobs) jobs.set(name, endedWithRun(job, runs.get(job.runId)));
  return { runs, jobs };
}

/** Without the runs that were created before. Retention removes a run with its jobs. */
export function rowsSince({ runs, jobs }: Rows, since: number): Rows {
  const kept = new Map([...runs].filter(([, { newest }]) => (newest.createdAt ?? since) >= since));
  return {
    runs: kept,
    jobs: new Map([...jobs].filter(([, { runId }]) => kept.has(runId) || !runs.has(runId))),
  };
}

/** Where the forge reports no start of a run, its first job that starts shows it. Then it also says nothing about its creation. */
function startedByJobs(run: RunRow, jobs: ReadonlyMap<string, JobRow>): RunRow {
  const { newest, attempts } = run;
  if (newest.reportsStart || newest.status === 'completed') return run;
  const starts = [...jobs.values()].flatMap(({ runId, attempt, startedAt }) =>
    runId === newest.runId && attempt === newest.attempt && startedAt !== null ? [startedAt] : [],
  );
  if (starts.length === 0) return run;
  const started = { ...newest, status: 'in_progress', startedAt: Math.min(...starts) };
  return { newest: started, attempts: new Map(attempts).set(started.attempt, started) };
}

/** A forge may call a run failed that a newer push cancelled. It is neither failed nor red. */
function superseded(
  run: RunRow,
  runs: ReadonlyMap<number, RunRow>,
  jobs: ReadonlyMap<string, JobRow>,
): RunRow {
  const { newest, attempts } = run;
  if (newest.conclusion !== 'failure' && newest.conclusion !== 'cancelled') return run;
  const own = [...jobs.values()].filter(
    ({ runId, attempt }) => runId === newest.runId && attempt === newest.attempt,
  );
  const cancelled = own.filter(({ conclusion }) => conclusion === 'cancelled');
  const cancelledAt = Math.min(...cancelled.map(({ endedAt }) => endedAt ?? Infinity));
  // What begins later, as a gate that always runs, fails because of the cancellation.
  const hasFailed = own.some(
    ({ conclusion, startedAt }) => failed.includes(conclusion ?? '') && (startedAt ?? 0) < cancelledAt,
  );
  const wasOnlyCancelled = (newest.conclusion === 'cancelled' || cancelled.length > 0) && !hasFailed;
  const isReplaced = [...runs.values()].some(
    ({ newest: other }) =>
      other.runId > newest.runId &&
      other.repository.id === newest.repository.id &&
      other.workflow.id === newest.workflow.id &&
      branchName(other) === branchName(newest) &&
      other.trigger === newest.trigger &&
      (other.createdAt ?? Infinity) <= (newest.endedAt ?? 0),
  );
  if (!wasOnlyCancelled || !isReplaced) return run;
  const ended = { ...newest, conclusion: 'cancelled' };
  return { newest: ended, attempts: new Map(attempts).set(ended.attempt, ended), isSuperseded: true };
}

export const failed = ['failure', 'timed_out', 'startup_failure'];

/** An attempt that ended ends its jobs, and the next attempt ends the one before. */
function endedWithRun(job: JobRow, run: RunRow | undefined): JobRow {
  if (job.status === 'completed' || run === undefined) return job;
  const own = run.attempts.get(job.attempt);
  const next = [...run.attempts.values()].find(({ attempt }) => attempt > job.attempt);
  const endedAt = own?.status === 'completed' ? own.endedAt : (next?.startedAt ?? null);
  if (endedAt === null) return job;
  return { ...job, status: 'completed', conclusion: null, endedAt, isEndedByRun: true };
}
