import {
  latestAttemptOf,
  mergeAttempts,
  mergeJobs,
  mergePullRequests,
  mergeReviews,
  mergeRuns,
} from './merge-rows.ts';
import { isUnnumbered, numberAttempts } from './number-attempts.ts';
import type { MonitoringEvent } from './parse-event.ts';
import { attemptKey, jobKey, pullRequestKey, reviewKey, runKey } from '#server/runs/row-keys.ts';
import { rollupDeltas, type Change } from '#server/rollups/rollup-deltas.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import type {
  AttemptRow,
  JobRow,
  PullRequestRow,
  ReviewRow,
  RunRow,
  VersionedRow,
} from '#server/runs/rows.ts';
import { deliveryOf, runVersion, staleReason, statusRank, type StaleReason } from '#server/runs/staleness.ts';

/** Rows of each table. */
export interface Rows {
  runs: RunRow[];
  attempts: AttemptRow[];
  jobs: JobRow[];
  pullRequests: PullRequestRow[];
  reviews: ReviewRow[];
}

/** What is stored of the objects that events are about; with jobs that came without an attempt, their runs too. */
export interface StoredRows extends Rows {
  /** Whether the runs that jobs belong to are on our default branch, by `runKey`. */
  branchFlags: ReadonlyMap<string, boolean>;
}

export type EventOutcome =
  /** `run` and `job` are the final states of objects, each on the last event of the batch that changed it. */
  { outcome: 'stored'; run?: RunRow | undefined; job?: JobRow } | { outcome: 'stale'; reason: StaleReason };

export interface ReducedEvents {
  /** As they came, each with its attempt. */
  events: readonly MonitoringEvent[];
  /** One for each event, in their order. */
  outcomes: EventOutcome[];
  /** What must be written, in the order of the keys, so that concurrent writers cannot block each other in a circle. */
  changed: Rows;
  /** To add to the rollups. */
  deltas: RollupRow[];
}

/** Joins events with the rows that are stored for their objects. Pure: what the database does is up to the caller. */
export function reduceEvents(stored: StoredRows, received: readonly MonitoringEvent[]): ReducedEvents {
  const events = numberAttempts(stored.runs, received);
  const tables = {
    runs: makeTable(stored.runs, runKey, mergeRuns),
    attempts: makeTable(stored.attempts, attemptKey, mergeAttempts),
    jobs: makeTable(stored.jobs, jobKey, mergeJobs),
    pullRequests: makeTable(stored.pullRequests, pullRequestKey, mergePullRequests),
    reviews: makeTable(stored.reviews, reviewKey, mergeReviews),
  };
  const placed = setBranchFlag(tables.runs, stored.branchFlags);
  // Runs first, as they place the jobs; an event's own position is kept for its outcome.
  const ofRuns = events.map((event) =>
    event.type === 'workflow_run' ? applyEvent(tables, event, placed) : undefined,
  );
  tables.jobs.change(placed);
  const outcomes = events.map((event, index) => {
    const outcome = ofRuns[index] ?? applyEvent(tables, event, placed);
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

function applyEvent(tables: Tables, event: MonitoringEvent, placed: (job: JobRow) => JobRow): EventOutcome {
  switch (event.type) {
    case 'workflow_run':
      return applyRun(tables, event.run);
    case 'workflow_job':
      return outcomeOf(event.type, tables.jobs.apply(placed(event.job)), event.job);
    case 'pull_request':
      return outcomeOf(event.type, tables.pullRequests.apply(event.pullRequest), event.pullRequest);
    case 'pull_request_review':
      return outcomeOf(event.type, tables.reviews.apply(event.review), event.review);
  }
}

/** A run holds its newest attempt; of two different ones the earlier goes to a row of its own. */
function applyRun({ runs, attempts }: Tables, incoming: RunRow): EventOutcome {
  const before = runs.apply(incoming);
  const outcome = outcomeOf('workflow_run', before, incoming);
  if (before === undefined || before.attempt === incoming.attempt) return outcome;
  const isEarlier = incoming.attempt < before.attempt;
  const known = attempts.apply(latestAttemptOf(isEarlier ? incoming : before));
  return isEarlier && isNewer(incoming, known)
    ? { outcome: 'stale', reason: 'earlier_attempt_updated' }
    : outcome;
}

/** Gitea, whose jobs come without an attempt, never says either that a run began: its first job does. */
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

/** A job does not tell whose branch it ran on, and a fork's may bear any name: its run tells, once it is known. */
function setBranchFlag(runs: Table<RunRow>, places: ReadonlyMap<string, boolean>): (job: JobRow) => JobRow {
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

/** A screen needs each object once, in its last state. */
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
  /** Joins `incoming` into its object; answers the object as it was before. */
  apply(incoming: Row): Row | undefined;
  find(key: string): Row | undefined;
  current(row: Row): Row;
  /** Of rows that stay as they are it returns the same. */
  change(each: (row: Row) => Row): void;
  /** In the order of the keys. */
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
