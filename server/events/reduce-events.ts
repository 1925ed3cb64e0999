import { isUnnumbered, numberAttempts } from './number-attempts.ts';
import type { MonitoringEvent } from './parse-event.ts';
import { rollupDeltas, type Change } from '#server/rollups/rollup-deltas.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import {
  latestAttemptOf,
  mergeAttempts,
  mergeRuns,
  attemptKey,
  runKey,
  type AttemptRow,
  type RunRow,
} from '#server/runs/objects/run.ts';
import { mergeJobs, jobKey, type JobRow } from '#server/runs/objects/job.ts';
import { mergePullRequests, pullRequestKey, type PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { mergeReviews, reviewKey, type ReviewRow } from '#server/runs/objects/review.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';
import { deliveryOf, runVersion, staleReason, statusRank, type StaleReason } from '#server/runs/staleness.ts';

/** Rows of each table. */
export interface Rows {
  runs: RunRow[];
  attempts: AttemptRow[];
  jobs: JobRow[];
  pullRequests: PullRequestRow[];
  reviews: ReviewRow[];
}

/** The stored rows of the events' objects, and the runs of jobs that have no attempt. */
export interface StoredRows extends Rows {
  /** Whether the run of each job is on our default branch, by `runKey`. */
  branchFlags: ReadonlyMap<string, boolean>;
}

export type EventOutcome =
  /** `run` and `job` are the final states of objects, each on the last event of the batch that changed it. */
  { outcome: 'stored'; run?: RunRow | undefined; job?: JobRow } | { outcome: 'stale'; reason: StaleReason };

export interface ReducedEvents {
  /** The received events in order, each with its attempt. */
  events: readonly MonitoringEvent[];
  /** One for each event, in order. */
  outcomes: EventOutcome[];
  /** The rows to write, ordered by key so that concurrent writers cannot deadlock. */
  changed: Rows;
  /** To add to the rollups. */
  deltas: RollupRow[];
}

/** Merges events with the stored rows of their objects. Pure: the caller reads and writes the database. */
export function reduceEvents(stored: StoredRows, received: readonly MonitoringEvent[]): ReducedEvents {
  const events = numberAttempts(stored.runs, received);
  const tables = {
    runs: makeTable(stored.runs, runKey, mergeRuns),
    attempts: makeTable(stored.attempts, attemptKey, mergeAttempts),
    jobs: makeTable(stored.jobs, jobKey, mergeJobs),
    pullRequests: makeTable(stored.pullRequests, pullRequestKey, mergePullRequests),
    reviews: makeTable(stored.reviews, reviewKey, mergeReviews),
  };
  const withFlag = branchFlagSetter(tables.runs, stored.branchFlags);
  // Runs first, because they set the branch flag of their jobs. Outcomes stay in the order of the events.
  const ofRuns = events.map((event) =>
    event.type === 'workflow_run' ? applyEvent(tables, event, withFlag) : undefined,
  );
  tables.jobs.change(withFlag);
  const outcomes = events.map((event, index) => {
    const outcome = ofRuns[index] ?? applyEvent(tables, event, withFlag);
    const beginsRun = event.type === 'workflow_job' && isUnnumbered(received[index]!);
    return beginsRun ? beginRun(tables, outcome, event.job) : outcome;
  });
  attachFinalRows(tables, events, outcomes);
  const changes = {
    runs: tables.runs.changes(),
    attempts: tables.attempts.changes(),
    jobs: tables.jobs.changes(),
    pullRequests: tables.pullRequests.changes(),
    reviews: tables.reviews.changes(),
  };
  return {
    events,
    outcomes,
    changed: {
      runs: changes.runs.map(({ after }) => after),
      attempts: changes.attempts.map(({ after }) => after),
      jobs: changes.jobs.map(({ after }) => after),
      pullRequests: changes.pullRequests.map(({ after }) => after),
      reviews: changes.reviews.map(({ after }) => after),
    },
    deltas: rollupDeltas([...changes.runs, ...changes.attempts], changes.jobs),
  };
}

type Tables = { [Name in keyof Rows]: Table<Rows[Name][number]> };

function applyEvent(tables: Tables, event: MonitoringEvent, withFlag: (job: JobRow) => JobRow): EventOutcome {
  switch (event.type) {
    case 'workflow_run':
      return applyRun(tables, event.run);
    case 'workflow_job':
      return outcomeOf(event.type, tables.jobs.apply(withFlag(event.job)), event.job);
    case 'pull_request':
      return outcomeOf(event.type, tables.pullRequests.apply(event.pullRequest), event.pullRequest);
    case 'pull_request_review':
      return outcomeOf(event.type, tables.reviews.apply(event.review), event.review);
  }
}

/** A run's row contains its newest attempt. The earlier of two attempts goes to a row of its own. */
function applyRun({ runs, attempts }: Tables, incoming: RunRow): EventOutcome {
  const before = runs.apply(incoming);
  const outcome = outcomeOf('workflow_run', before, incoming);
  if (before === undefined || before.attempt === incoming.attempt) return outcome;
  const isEarlier = incoming.attempt < before.attempt;
  const storedAttempt = attempts.apply(latestAttemptOf(isEarlier ? incoming : before));
  return isEarlier && isNewer(incoming, storedAttempt)
    ? { outcome: 'stale', reason: 'earlier_attempt_updated' }
    : outcome;
}

/** Gitea sends no event when a run starts, so the first job that starts also starts the run. */
function beginRun({ runs }: Tables, outcome: EventOutcome, { startedAt, ...job }: JobRow): EventOutcome {
  const run = runs.find(runKey(job));
  if (outcome.outcome === 'stale' || run === undefined || startedAt === null) return outcome;
  if (run.attempt !== job.attempt || statusRank(run.status) >= 2) return outcome;
  const { attempt, updatedAt: updatedAtMs } = run;
  const deliveredAt = deliveryOf(job.version);
  const version = runVersion({ attempt, status: 'in_progress', updatedAtMs, deliveredAt });
  runs.apply({ ...run, status: 'in_progress', startedAt: run.startedAt ?? startedAt, version });
  return { ...outcome, run };
}

function isNewer(incoming: VersionedRow, known: VersionedRow | undefined): boolean {
  return known === undefined || Buffer.compare(incoming.version, known.version) > 0;
}

/** A job event does not say whose branch it ran on, and a fork's branch may have any name. The job's run decides, if stored. */
function branchFlagSetter(
  runs: Table<RunRow>,
  places: ReadonlyMap<string, boolean>,
): (job: JobRow) => JobRow {
  return (job) => {
    const key = runKey(job);
    const onDefaultBranch = runs.find(key)?.onDefaultBranch ?? places.get(key) ?? job.onDefaultBranch;
    return onDefaultBranch === job.onDefaultBranch ? job : { ...job, onDefaultBranch };
  };
}

function outcomeOf(
  type: MonitoringEvent['type'],
  before: VersionedRow | undefined,
  incoming: VersionedRow,
): EventOutcome {
  if (before === undefined || isNewer(incoming, before)) return { outcome: 'stored' };
  return { outcome: 'stale', reason: staleReason(type, before.version, incoming.version) };
}

/** Open screens need each object once, in its final state. */
function attachFinalRows(tables: Tables, events: readonly MonitoringEvent[], outcomes: EventOutcome[]): void {
  const attached = new Set<string>();
  const isFirst = (key: string) => !attached.has(key) && attached.add(key);
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const [event, outcome] = [events[index]!, outcomes[index]!];
    if (outcome.outcome !== 'stored') continue;
    const run = 'run' in event ? event.run : outcome.run;
    if (run) outcome.run = isFirst(runKey(run)) ? tables.runs.current(run) : undefined;
    if ('job' in event && isFirst(jobKey(event.job))) outcome.job = tables.jobs.current(event.job);
  }
}

interface Table<Row> {
  /** Merges `incoming` into its object and returns the object's previous state. */
  apply(incoming: Row): Row | undefined;
  find(key: string): Row | undefined;
  current(row: Row): Row;
  /** `each` must return the same row when it changes nothing. */
  change(each: (row: Row) => Row): void;
  /** Ordered by key. */
  changes(): Change<Row>[];
}

function makeTable<Row extends VersionedRow>(
  stored: Row[],
  keyOf: (row: Row) => string,
  merge: (stored: Row, incoming: Row) => Row,
): Table<Row> {
  const before = new Map(stored.map((row) => [keyOf(row), row]));
  const current = new Map(before);
  return {
    apply: (incoming) => {
      const key = keyOf(incoming);
      const known = current.get(key);
      current.set(key, known === undefined ? incoming : merge(known, incoming));
      return known;
    },
    find: (key) => current.get(key),
    current: (row) => current.get(keyOf(row)) ?? row,
    change: (each) => {
      for (const [key, row] of current) current.set(key, each(row));
    },
    changes: () =>
      [...current]
        .filter(([key, after]) => before.get(key) !== after)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, after]) => ({ before: before.get(key), after })),
  };
}
