import type { Fact, JobFact, PullFact, RepositoryFact, RunFact } from '../world/facts.ts';
import { branchName, mergeQueuesOf } from './branch-name.ts';
import { red, workflowKey } from './states.ts';

const day = 24 * 3_600_000;
/** A workflow that did not run for this time is red no more. */
const staleAfter = 30 * day;

export interface IncidentRow {
  /** The repository by the forge's ids. */
  repository: string;
  workflow: string;
  branch: string;
  /** The end of the first failure. */
  openedAt: number;
  /** Null while it is open. */
  closedByRunId: number | null;
  failedRuns: number;
  failedJobs: number;
}

interface Place {
  runId: number;
  attempt: number;
}

interface CountedFailure extends Place {
  endedAt: number;
  isJob: boolean;
}

interface Branch {
  success: Place | undefined;
  open: (IncidentRow & { failures: CountedFailure[] }) | undefined;
}

/** Facts in the order of their arrival, each once. */
export interface Arrivals {
  facts: readonly Fact[];
  now: number;
  /**
   * A job that fails waits for its run, which says whose branch it is, but not for long. So there are two right answers where the
   * run is late: it counts when it comes, or when the first word of its run comes.
   */
  doJobsWait: boolean;
  /** Whether there is a rule about all failures. */
  hasRule: boolean;
}

/**
 * The incidents of red default branches, and those that a rule about all failures opens. The order of runs counts, and not that of
 * arrival.
 */
export function incidentsOf({ facts, now, doJobsWait, hasRule }: Arrivals): IncidentRow[] {
  const branches = new Map<string, Branch>();
  const incidents: IncidentRow[] = [];
  const runs = new Map<number, RunFact>();
  const waiting: JobFact[] = [];
  const counted = new Set<string>();

  const fail = (run: RunFact, failure: CountedFailure): void => {
    // Whether or not anybody is notified, a failed run of the default branch makes it red.
    const isRedBranch = !failure.isJob && run.fork === null && run.branch === run.repository.defaultBranch;
    const isNews = hasRule && failure.endedAt >= now - day;
    if (!isNews && !(isRedBranch && failure.endedAt >= now - staleAfter)) return;
    const branch = branchOf(branches, run);
    if (branch.success !== undefined && !isLater(failure, branch.success)) return;
    if (branch.open === undefined) {
      branch.open = {
        repository: repositoryKey(run),
        workflow: workflowKey(run),
        branch: branchName(run),
        closedByRunId: null,
        ...figuresOf([]),
      };
      incidents.push(branch.open);
    }
    Object.assign(branch.open, figuresOf([...branch.open.failures, failure]));
  };

  const succeed = (run: RunFact): void => {
    const branch = branchOf(branches, run);
    if (branch.success === undefined || isLater(run, branch.success)) branch.success = run;
    const { open, success } = branch;
    if (open === undefined) return;
    const left = open.failures.filter((place) => isLater(place, success));
    // It is red since the first failure after the newest success, in the order of runs.
    if (left.length > 0) return void Object.assign(open, figuresOf(left));
    open.closedByRunId = run.runId;
    branch.open = undefined;
  };

  const completeJob = (job: JobFact, run: RunFact): void =>
    fail(run, { runId: job.runId, attempt: job.attempt, endedAt: job.endedAt ?? 0, isJob: true });
  const letGo = (run: RunFact): void => {
    for (const job of waiting.filter(({ runId }) => runId === run.runId)) {
      waiting.splice(waiting.indexOf(job), 1);
      completeJob(job, run);
    }
  };
  const runsOfAll = new Map(facts.flatMap((fact) => (fact.kind === 'run' ? [[fact.runId, fact]] : [])));

  for (const fact of facts) {
    if (fact.kind === 'run') {
      runs.set(fact.runId, fact);
      letGo(fact);
      if (fact.status !== 'completed' || !isFirst(counted, `${fact.runId}/${fact.attempt}`)) continue;
      if (fact.conclusion === 'success') succeed(fact);
      else if (red.includes(fact.conclusion ?? ''))
        fail(fact, { runId: fact.runId, attempt: fact.attempt, endedAt: fact.endedAt ?? 0, isJob: false });
    } else if (fact.kind === 'job') {
      if (fact.status !== 'completed' || !red.includes(fact.conclusion ?? '')) continue;
      if (!isFirst(counted, `${fact.runId}/${fact.attempt}/${fact.jobId}`)) continue;
      const run = runs.get(fact.runId) ?? (doJobsWait ? undefined : runsOfAll.get(fact.runId));
      if (run === undefined) waiting.push(fact);
      else completeJob(fact, run);
    }
  }
  return incidents;
}

function figuresOf(failures: CountedFailure[]) {
  const failedJobs = failures.filter(({ isJob }) => isJob).length;
  const openedAt = Math.min(...failures.map(({ endedAt }) => endedAt));
  return { failures, openedAt, failedJobs, failedRuns: failures.length - failedJobs };
}

/**
 * Where a failure had to wait: a job for its run, or a run whose known jobs did not fail for what may have taken its place. Successes may
 * overtake it, so how many incidents were opened and closed there depends on how long it waited.
 */
export function overtakenBranches(facts: readonly Fact[]): Set<string> {
  const found = new Set<string>();
  const known = new Set<number>();
  const jobs: JobFact[] = [];
  const runsOfAll = new Map(facts.flatMap((fact) => (fact.kind === 'run' ? [[fact.runId, fact]] : [])));
  for (const fact of facts) {
    if (fact.kind === 'pull') continue;
    const run = runsOfAll.get(fact.runId);
    const isRed = fact.status === 'completed' && red.includes(fact.conclusion ?? '');
    const ofAttempt = jobs.filter(({ runId, attempt }) => runId === fact.runId && attempt === fact.attempt);
    const hasWaited =
      fact.kind === 'job'
        ? !known.has(fact.runId)
        : ofAttempt.length > 0 && !ofAttempt.some(({ conclusion }) => red.includes(conclusion ?? ''));
    if (isRed && hasWaited && run !== undefined) found.add(`${workflowKey(run)} ${branchName(run)}`);
    if (fact.kind === 'run') known.add(fact.runId);
    else jobs.push(fact);
  }
  return found;
}

/**
 * Where a job failed because others were cancelled, and the cancellation or the newer run arrived after that. Until then it counts, so
 * messages may count it. `facts` are those that arrived, and `isExcused` says what is known in the end.
 */
export function excusedLate(facts: readonly Fact[], isExcused: (job: JobFact) => boolean): Set<string> {
  const found = new Set<string>();
  const runs = facts.filter((fact) => fact.kind === 'run');
  for (const [index, job] of facts.entries()) {
    if (job.kind !== 'job' || !isExcused(job)) continue;
    const run = runs.find(({ runId }) => runId === job.runId);
    if (run === undefined) continue;
    const place = (of: RunFact): string => `${workflowKey(of)} ${branchName(of)}`;
    const before = facts.slice(0, index);
    const isCancelled = before.some(
      (fact) =>
        fact.kind === 'job' &&
        fact.runId === job.runId &&
        fact.attempt === job.attempt &&
        fact.conclusion === 'cancelled',
    );
    const isReplaced = before.some(
      (fact) => fact.kind === 'run' && fact.runId > run.runId && place(fact) === place(run),
    );
    if (!isCancelled || !isReplaced) found.add(place(run));
  }
  return found;
}

function isFirst(seen: Set<string>, name: string): boolean {
  const isNew = !seen.has(name);
  seen.add(name);
  return isNew;
}

function branchOf(branches: Map<string, Branch>, run: RunFact): Branch {
  const name = `${workflowKey(run)} ${branchName(run)}`;
  const known = branches.get(name) ?? { success: undefined, open: undefined };
  branches.set(name, known);
  return known;
}

const repositoryKey = ({ repository }: Fact): string => `${repository.host} ${repository.id}`;

/**
 * Where a pull request ended, and with it all incidents, by repository and branch; and branches that are the default branch no more. The
 * default branch never ends. A branch of a fork that nothing names ends with the only pull request that it can be of; with several that
 * have the same branch, whether it ends depends on what is told first.
 */
export function endedBranches(
  facts: readonly Fact[],
  repositories: ReadonlyMap<string, RepositoryFact>,
): { ended: Set<string>; unsure: Set<string> } {
  const pulls = new Map<string, PullFact>();
  for (const fact of facts) {
    if (fact.kind !== 'pull') continue;
    const name = `${repositoryKey(fact)} ${fact.number}`;
    const known = pulls.get(name);
    if (known === undefined || known.updatedAt < fact.updatedAt) pulls.set(name, fact);
  }
  const runs = facts.filter((fact) => fact.kind === 'run');
  const of = (state: string): PullFact[] => [...pulls.values()].filter((pull) => pull.state === state);
  const open = new Set(of('open').map((pull) => `${repositoryKey(pull)} ${branchName(pull)}`));
  const ended = of('closed').flatMap((pull) => [
    ...(pull.fork === null && pull.branch === pull.repository.defaultBranch ? [] : [branchName(pull)]).map(
      (branch) => `${repositoryKey(pull)} ${branch}`,
    ),
    ...runs
      .filter((run) => repositoryKey(run) === repositoryKey(pull))
      .map(branchName)
      .filter((branch) => branch.startsWith(`${mergeQueuesOf(pull.number)} into `))
      .map((branch) => `${repositoryKey(pull)} ${branch}`),
  ]);
  const ofForks = Map.groupBy(
    [...pulls.values()].filter(({ fork }) => fork !== null),
    (pull) => `${repositoryKey(pull)} ${branchName({ ...pull, fork: 'fork' })}`,
  );
  const unnamed = [...ofForks].flatMap(([name, [one, ...others]]) =>
    others.length === 0 && one?.state === 'closed' ? [name] : [],
  );
  const queues = leftQueues(facts, pulls);
  const replaced = facts.flatMap((fact) => {
    const name = repositoryKey(fact);
    const { defaultBranch } = fact.repository;
    return repositories.get(name)?.defaultBranch === defaultBranch ? [] : [`${name} ${defaultBranch}`];
  });
  return {
    ended: new Set([...ended.filter((name) => !open.has(name)), ...unnamed, ...replaced, ...queues.left]),
    unsure: new Set([
      ...[...ofForks].flatMap(([name, list]) => (list.length > 1 ? [name] : [])),
      ...queues.unsure,
    ]),
  };
}

/**
 * A merge queue tests a pull request into its base branch, so one into another branch has ended. The base may come back, or an event about
 * it may be late or lost: then what the queue found before may have ended or not.
 */
function leftQueues(
  facts: readonly Fact[],
  pulls: ReadonlyMap<string, PullFact>,
): { left: string[]; unsure: string[] } {
  const left: string[] = [];
  const unsure: string[] = [];
  for (const pull of pulls.values()) {
    const told = facts.filter(
      (fact) =>
        fact.kind === 'pull' && repositoryKey(fact) === repositoryKey(pull) && fact.number === pull.number,
    ) as PullFact[];
    // The last news of another base.
    let newest: PullFact | undefined;
    let movedAt = 0;
    for (const fact of told) {
      if (newest !== undefined && fact.updatedAt <= newest.updatedAt) continue;
      if (fact.base !== newest?.base) movedAt = fact.updatedAt;
      newest = fact;
    }
    const runs = facts.filter(
      (fact) =>
        fact.kind === 'run' &&
        repositoryKey(fact) === repositoryKey(pull) &&
        branchName(fact).startsWith(`${mergeQueuesOf(pull.number)} into `),
    ) as RunFact[];
    for (const [branch, tests] of Map.groupBy(runs, branchName)) {
      const into = (base: string): boolean => branch.endsWith(` into ${base}`);
      const name = `${repositoryKey(pull)} ${branch}`;
      const isBefore = (at: number) => (run: RunFact) => (run.createdAt ?? 0) <= at;
      if (!into(pull.base) && tests.every(isBefore(movedAt))) left.push(name);
      else if (told.some(({ base, updatedAt }) => !into(base) && tests.some(isBefore(updatedAt))))
        unsure.push(name);
    }
  }
  return { left, unsure };
}

function isLater(one: Place, other: Place): boolean {
  return one.runId > other.runId || (one.runId === other.runId && one.attempt > other.attempt);
}
