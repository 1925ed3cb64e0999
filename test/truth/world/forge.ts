import type { Dialect, Fact, RepositoryFact, RunFact, WorkflowFact } from './facts.ts';
import type { Random } from './random.ts';

const second = 1000;
const minute = 60 * second;

export interface Workflow extends WorkflowFact {
  repository: RepositoryFact;
  /** The last one waits for all others. */
  jobs: readonly string[];
  label: string;
}

/** How an attempt ends. */
export type Outcome =
  | 'success'
  | 'failure'
  | 'timed_out'
  | 'cancelled'
  | 'startup_failure'
  | 'action_required'
  | 'skipped'
  | 'running'
  | 'waiting';

export interface RunOptions {
  outcome: Outcome;
  branch?: string;
  fork?: string;
  trigger?: string;
  actor?: string;
  /** Default: a new commit. */
  sha?: string;
}

/** The facts of a run that all its attempts share. */
export type Run = Omit<
  RunFact,
  'kind' | 'attempt' | 'status' | 'conclusion' | 'isForkGone' | 'createdAt' | 'startedAt' | 'endedAt'
> & {
  from: Workflow;
  createdAt: number;
  attempts: number;
  /** Names of jobs of the last attempt that did not succeed. */
  unsuccessful: string[];
  outcome: Outcome;
  endedAt: number;
};

export interface Event {
  at: number;
  fact: Fact;
}

/** A forge in memory. It does what its callers ask for and writes down each event that it would post. */
export class Forge {
  readonly events: Event[] = [];
  /** Workflows that a person hides in the end. */
  readonly hidden = new Set<Workflow>();
  readonly dialect: Dialect;
  readonly #random: Random;
  readonly #skewMs: number;
  #now: number;
  #ids = 0;
  readonly #numbers = new Map<string, number>();
  readonly #goneForks = new Set<number | null>();
  /** The ids of forks by their repository and owner, and their owners. */
  readonly #forkIds = new Map<string, number>();
  readonly #forkOwners = new Map<number | null, string>();

  /** With a skew, its clock is ahead of that of the world. */
  constructor(dialect: Dialect, random: Random, start: number, skewMs = 0) {
    this.dialect = dialect;
    this.#random = random;
    this.#now = Math.ceil(start / second) * second;
    this.#skewMs = skewMs;
    this.#ids = random.between(1, 1000) * 1000;
  }

  get now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  /** Waits until everything that was begun has ended. */
  rest(): void {
    this.#now = Math.max(this.#now, ...this.events.map(({ at }) => at)) + minute;
  }

  newRepository(fullName: string): RepositoryFact {
    const host = this.dialect === 'github' ? 'github.example.com' : 'git.example.com';
    return { id: this.#nextId(), host, fullName, defaultBranch: 'main' };
  }

  newWorkflow(repository: RepositoryFact, file: string, name: string, jobs: readonly string[]): Workflow {
    const id = this.dialect === 'github' ? this.#nextId() : file;
    const folder = this.dialect === 'github' ? '.github' : '.gitea';
    return { repository, id, name, path: `${folder}/workflows/${file}`, jobs, label: `${file}-runner` };
  }

  newCommit(): string {
    return Array.from({ length: 10 }, () => this.#random.below(65_536).toString(16).padStart(4, '0')).join(
      '',
    );
  }

  /** The forge starts a run, and time passes. */
  run(from: Workflow, { outcome, branch, fork, trigger = 'push', actor = 'ann', sha }: RunOptions): Run {
    this.pass(this.#random.between(20, 400) * second);
    const counted = `${from.repository.id} ${from.id}`;
    const number = (this.#numbers.get(counted) ?? 0) + 1;
    this.#numbers.set(counted, number);
    const run: Run = {
      from,
      repository: { ...from.repository },
      workflow: workflowFact(from),
      runId: this.#nextId(),
      number,
      trigger,
      branch: branch ?? from.repository.defaultBranch,
      fork: fork ?? null,
      forkId: fork === undefined ? null : this.#forkIdOf(from.repository, fork),
      sha: sha ?? this.newCommit(),
      title: `Change ${number} of ${from.path}`,
      actor,
      createdAt: this.#now,
      reportsStart: this.dialect !== 'old gitea',
      attempts: 0,
      unsuccessful: [],
      outcome,
      endedAt: 0,
    };
    this.#attempt(run, from.jobs, outcome);
    return run;
  }

  /** A person runs all jobs again, or those that did not succeed. The run must have ended. */
  rerun(run: Run, which: 'all' | 'failed', outcome: Outcome): void {
    this.#now = Math.max(this.#now, run.endedAt) + this.#random.between(10, 200) * second;
    const jobs = which === 'all' ? run.from.jobs : run.unsuccessful;
    this.#attempt(run, jobs.length === 0 ? run.from.jobs : jobs, outcome);
  }

  /**
   * A newer push ends a run that is in progress. The forge cancels its jobs, which may take its time, and may call the run failed. A gate
   * runs always, after all others, and fails when one of them did not succeed.
   */
  supersede(
    run: Run,
    conclusion: 'cancelled' | 'failure',
    { endsInMs = 0, hasGate = false }: { endsInMs?: number; hasGate?: boolean } = {},
  ): void {
    this.pass(2 * second);
    const ofRun = ({ fact }: Event): boolean => fact.kind !== 'pull' && fact.runId === run.runId;
    this.#drop(ofRun);
    const newest = new Map(
      this.events.filter(ofRun).map(({ fact }) => [fact.kind === 'job' ? fact.jobId : 0, fact]),
    );
    const open = [...newest.values()].filter((fact) => fact.kind !== 'pull' && fact.status !== 'completed');
    const jobs = open.filter((fact) => fact.kind === 'job');
    const waiting = jobs.find(({ name, status }) => name === run.from.jobs.at(-1) && status === 'queued');
    const gate = hasGate && jobs.length > 1 ? waiting : undefined;
    const cancelledAt = this.#now + this.#skewMs + endsInMs;
    const complete = (fact: Fact, as: string, endedAt: number): void =>
      void this.events.push({
        at: endedAt,
        fact: { ...fact, status: 'completed', conclusion: as, endedAt } as Fact,
      });
    for (const job of jobs) if (job !== gate) complete(job, 'cancelled', cancelledAt);
    if (gate !== undefined) {
      const started: Fact = { ...gate, status: 'in_progress', startedAt: cancelledAt };
      this.events.push({ at: cancelledAt, fact: started });
      complete(started, 'failure', cancelledAt + second);
    }
    for (const fact of open) if (fact.kind === 'run') complete(fact, conclusion, cancelledAt + 2 * second);
    this.pass(3 * second);
  }

  /** Nothing of it comes any more, not even the end of what is in progress. */
  delete(repository: RepositoryFact): void {
    this.pass(second);
    this.#drop(({ fact }) => fact.repository.id === repository.id);
  }

  deleteFork(repository: RepositoryFact, fork: string): void {
    this.pass(second);
    this.#goneForks.add(this.#forkIdOf(repository, fork));
    this.#nameForks();
  }

  /** Its owner has another name, and another person may take the one before. */
  renameFork(repository: RepositoryFact, from: string, to: string): void {
    this.pass(second);
    const forkId = this.#forkIdOf(repository, from);
    this.#forkIds.delete(`${repository.id} ${from}`);
    this.#forkIds.set(`${repository.id} ${to}`, forkId);
    this.#forkOwners.set(forkId, to);
    this.#nameForks();
    this.pass(second);
  }

  #nameForks(): void {
    for (const event of this.events)
      if (event.at > this.#now + this.#skewMs) event.fact = this.#withFork(event.fact);
  }

  pull(
    repository: RepositoryFact,
    pull: {
      number: number;
      branch: string;
      state: 'open' | 'closed';
      fork?: string;
      author?: string;
      sha?: string;
      /** Default: the default branch. */
      base?: string;
    },
  ): void {
    this.pass(second);
    this.#emit(this.#now, {
      kind: 'pull',
      repository: { ...repository },
      number: pull.number,
      title: `Pull request ${pull.number}`,
      state: pull.state,
      branch: pull.branch,
      sha: pull.sha ?? 'c'.repeat(40),
      fork: pull.fork ?? null,
      forkId: pull.fork === undefined ? null : this.#forkIdOf(repository, pull.fork),
      isForkGone: false,
      author: pull.author ?? 'ann',
      base: pull.base ?? repository.defaultBranch,
      updatedAt: this.#now + this.#skewMs,
      closedAt: pull.state === 'closed' ? this.#now + this.#skewMs : null,
    });
  }

  #attempt(run: Run, jobs: readonly string[], outcome: Outcome): void {
    const requestedAt = this.#now;
    run.attempts += 1;
    run.outcome = outcome;
    run.repository = { ...run.from.repository };
    run.workflow = workflowFact(run.from);
    const base = {
      kind: 'run' as const,
      ...shared(run),
      isForkGone: false,
      attempt: run.attempts,
    };
    let firstStart = Infinity;
    const say = (at: number, status: string, conclusion: string | null = null): void => {
      const startedAt = this.#startOf(status, requestedAt, firstStart);
      const endedAt = status === 'completed' ? this.#endOf(at) : null;
      const createdAt = this.dialect === 'old gitea' ? startedAt : run.createdAt + this.#skewMs;
      this.#emit(at, { ...base, status, conclusion, createdAt, startedAt, endedAt });
    };
    say(requestedAt, 'queued');
    run.endedAt = requestedAt + 2 * second;
    if (outcome === 'startup_failure' || outcome === 'action_required' || outcome === 'skipped')
      return say(run.endedAt, 'completed', outcome);
    const lives = this.#livesOf(jobs, outcome, requestedAt);
    run.unsuccessful = lives.filter(({ conclusion }) => conclusion !== 'success').map(({ name }) => name);
    let lastEnd = requestedAt + second;
    for (const life of lives) {
      const { startedAt, endedAt } = this.#job(run, life, requestedAt + second);
      firstStart = Math.min(firstStart, startedAt ?? Infinity);
      lastEnd = Math.max(lastEnd, endedAt ?? 0, startedAt ?? 0);
    }
    if (firstStart < Infinity && run.reportsStart) say(firstStart, 'in_progress');
    run.endedAt = lastEnd + second;
    if (outcome !== 'running' && outcome !== 'waiting')
      say(run.endedAt, 'completed', outcome === 'timed_out' ? 'failure' : outcome);
  }

  /** GitHub counts from the request of an attempt, Gitea from the start of its first job. */
  #startOf(status: string, requestedAt: number, firstStart: number): number | null {
    if (this.dialect === 'github') return requestedAt + this.#skewMs;
    return status === 'queued' || firstStart === Infinity ? null : firstStart + this.#skewMs;
  }

  /** Gitea says when the last job ended. GitHub says nothing, so the last update of a completed run is its end. */
  #endOf(at: number): number {
    return (this.dialect === 'github' ? at : at - second) + this.#skewMs;
  }

  #livesOf(jobs: readonly string[], outcome: Outcome, requestedAt: number): Life[] {
    const random = this.#random;
    const culprit = random.below(Math.max(1, jobs.length - 1));
    return jobs.map((name, index): Life => {
      const startedAt = requestedAt + random.between(3, 40) * second;
      const endedAt = startedAt + random.between(1, 700) * second;
      const isLast = index === jobs.length - 1 && jobs.length > 1;
      const after = { startedAt: endedAt + minute * 12, endedAt: endedAt + minute * 12 + 61 * second };
      const done = isLast ? after : { startedAt, endedAt };
      const passed: Life = { name, conclusion: 'success', ...done };
      switch (outcome) {
        case 'waiting':
          return { name, conclusion: null, startedAt: null, endedAt: null };
        case 'running':
          if (isLast) return { name, conclusion: null, startedAt: null, endedAt: null };
          return index === culprit ? { name, conclusion: null, startedAt, endedAt: null } : passed;
        case 'failure':
        case 'timed_out':
          if (index === culprit) return { name, conclusion: outcome, startedAt, endedAt };
          return isLast ? { name, conclusion: 'skipped', startedAt: endedAt, endedAt } : passed;
        case 'cancelled':
          if (isLast) return { name, conclusion: 'cancelled', startedAt: null, endedAt };
          return index === culprit ? { name, conclusion: 'cancelled', startedAt, endedAt } : passed;
        default:
          return passed;
      }
    });
  }

  #job(run: Run, life: Life, createdAt: number): Life {
    const fact = {
      kind: 'job' as const,
      repository: { ...run.repository },
      workflow: run.workflow,
      branch: run.branch,
      sha: run.sha,
      runId: run.runId,
      attempt: run.attempts,
      jobId: this.#nextId(),
      name: life.name,
      label: run.from.label,
      createdAt: createdAt + this.#skewMs,
    };
    const { startedAt, endedAt, conclusion } = life;
    const shift = (at: number | null): number | null => (at === null ? null : at + this.#skewMs);
    const queued = { status: 'queued', conclusion: null, startedAt: null, endedAt: null };
    this.#emit(createdAt, { ...fact, ...queued });
    if (startedAt !== null && conclusion !== 'skipped')
      this.#emit(startedAt, { ...fact, ...queued, status: 'in_progress', startedAt: shift(startedAt) });
    if (endedAt !== null)
      this.#emit(endedAt, {
        ...fact,
        status: 'completed',
        conclusion,
        startedAt: shift(startedAt),
        endedAt: shift(endedAt),
      });
    return life;
  }

  #emit(at: number, fact: Fact): void {
    this.events.push({ at: at + this.#skewMs, fact: this.#withFork(fact) });
  }

  /** What would have come later does not come. */
  #drop(isDropped: (event: Event) => boolean): void {
    for (let index = this.events.length - 1; index >= 0; index -= 1) {
      const event = this.events[index]!;
      if (event.at > this.#now + this.#skewMs && isDropped(event)) this.events.splice(index, 1);
    }
  }

  #withFork(fact: Fact): Fact {
    if (fact.kind === 'job') return fact;
    const fork = this.#forkOwners.get(fact.forkId) ?? null;
    return { ...fact, fork, isForkGone: this.#goneForks.has(fact.forkId) };
  }

  #forkIdOf(repository: RepositoryFact, owner: string): number {
    const name = `${repository.id} ${owner}`;
    const forkId = this.#forkIds.get(name) ?? this.#nextId();
    this.#forkIds.set(name, forkId);
    this.#forkOwners.set(forkId, owner);
    return forkId;
  }

  #nextId(): number {
    this.#ids += this.#random.between(1, 9);
    return this.#ids;
  }
}

interface Life {
  name: string;
  conclusion: string | null;
  startedAt: number | null;
  endedAt: number | null;
}

function workflowFact({ id, name, path }: Workflow): WorkflowFact {
  return { id, name, path };
}

/** What all events of a run say of it. */
function shared({ from, createdAt, attempts, unsuccessful, outcome, endedAt, ...facts }: Run) {
  return facts;
}
