import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import { counterDeltas, type CounterRow } from '#server/ci-metrics/counters.ts';
import { rollupDeltas, type Change } from '#server/rollups/rollup-deltas.ts';
import type { RollupRow } from '#server/rollups/rollups.ts';
import { latestAttemptOf, runKey, type RunOfJobs, type RunRow } from '#server/runs/objects/run.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { VersionedRow } from '#server/runs/objects/columns.ts';
import { deliveryOf, runVersion, staleReason, statusRank, type StaleReason } from '#server/runs/staleness.ts';
import type { StoredObject } from '#server/runs/objects/stored-object.ts';
import { isUnnumbered, numberAttempts } from './number-attempts.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { eventTypeOf } from './types/event-types.ts';
import { mapObjects, type ObjectName, type RowOfObject, type Rows } from './types/objects.ts';

/** The stored rows of the events' objects, and the runs of jobs that have no attempt. */
export interface StoredRows extends Rows {
  /** The stored run of each job, by `runKey`. */
  runsOfJobs: ReadonlyMap<string, RunOfJobs>;
}

export type EventOutcome =
  /** `final` are the final states of objects, each on the last event of the batch that changed it. */
  { outcome: 'stored'; final: ObjectOfType[] } | { outcome: 'stale'; reason: StaleReason };

interface ObjectOfType {
  type: QueuedEvent;
  row: VersionedRow;
}

export interface ReducedEvents {
  /** The received events in order, each with its attempt. */
  events: readonly MonitoringEvent[];
  /** One for each event, in order. */
  outcomes: EventOutcome[];
  /** The rows to write, ordered by key so that concurrent writers cannot deadlock. */
  changed: Rows;
  /** To add to the rollups. */
  deltas: RollupRow[];
  /** To add to the counters for other programs. */
  counters: CounterRow[];
}

/** Merges events with the stored rows of their objects. Pure: the caller reads and writes the database. */
export function reduceEvents(stored: StoredRows, received: readonly MonitoringEvent[]): ReducedEvents {
  const events = numberAttempts(stored, received);
  const tables = mapObjects((object, name) => rowTable(object, stored[name])) as Tables;
  const followRun = runFollower(tables.workflow_run, stored.runsOfJobs);
  // Runs first, because their jobs follow them. Outcomes stay in the order of the events.
  const ofRuns = events.map((event) =>
    event.type === 'workflow_run' ? applyRun(tables, event.row) : undefined,
  );
  tables.workflow_job.change(followRun);
  const outcomes = events.map((event, index) => {
    const outcome = ofRuns[index] ?? applyEvent(tables, event, followRun);
    const beginsRun = event.type === 'workflow_job' && isUnnumbered(received[index]!);
    return beginsRun ? beginRun(tables, outcome, event.row) : outcome;
  });
  attachFinalRows(tables, events, outcomes);
  const changes = mapObjects((_, name) => tables[name].changes()) as Changes;
  return {
    events,
    outcomes,
    changed: mapObjects((_, name) => changes[name].map(({ after }) => after)) as Rows,
    deltas: rollupDeltas(changes.workflow_run, changes.workflow_job),
    counters: counterDeltas({
      runs: changes.workflow_run,
      attempts: changes.attempts,
      jobs: changes.workflow_job,
    }),
  };
}

type Tables = { [Name in ObjectName]: RowTable<RowOfObject<Name>> };
type Changes = { [Name in ObjectName]: Change<RowOfObject<Name>>[] };

function applyEvent(
  tables: Tables,
  event: MonitoringEvent,
  followRun: (job: JobRow) => JobRow,
): EventOutcome {
  const row = event.type === 'workflow_job' ? followRun(event.row) : event.row;
  return outcomeOf(event.type, tableOf(tables, event.type).apply(row), row);
}

function tableOf(tables: Tables, type: QueuedEvent): RowTable<VersionedRow> {
  return tables[type] as RowTable<VersionedRow>;
}

/** A run's row contains its newest attempt. The earlier of two attempts goes to a row of its own. */
function applyRun({ workflow_run: runs, attempts }: Tables, incoming: RunRow): EventOutcome {
  const before = runs.apply(incoming);
  const outcome = outcomeOf('workflow_run', before, incoming);
  if (before === undefined || before.attempt === incoming.attempt) return outcome;
  const isEarlier = incoming.attempt < before.attempt;
  const storedAttempt = attempts.apply(latestAttemptOf(isEarlier ? incoming : before));
  return isEarlier && isNewer(incoming, storedAttempt)
    ? { outcome: 'stale', reason: 'earlier_attempt_updated' }
    : outcome;
}

/** Gitea sends no event when a run starts, so the first job that starts also starts the run, or its next attempt. */
function beginRun(tables: Tables, outcome: EventOutcome, { startedAt, ...job }: JobRow): EventOutcome {
  const run = tables.workflow_run.find(runKey(job));
  if (outcome.outcome === 'stale' || run === undefined) return outcome;
  const isNext = job.attempt === run.attempt + 1;
  if (!isNext && (startedAt === null || run.attempt !== job.attempt || statusRank(run.status) >= 2))
    return outcome;
  const { attempt } = job;
  const deliveredAt = deliveryOf(job.version);
  const status = startedAt === null ? 'queued' : 'in_progress';
  const version = runVersion({ attempt, status, updatedAtMs: run.updatedAt, deliveredAt });
  const begun = { ...run, attempt, status, startedAt: run.startedAt ?? startedAt, version };
  const nothingYet = {
    conclusion: null,
    completedAt: null,
    supersededBy: null,
    startedAt,
    triggeringActor: null,
  };
  applyRun(tables, isNext ? { ...begun, ...nothingYet, olderFacts: null } : begun);
  return { outcome: 'stored', final: [{ type: 'workflow_run', row: run }] };
}

function isNewer(incoming: VersionedRow, known: VersionedRow | undefined): boolean {
  return known === undefined || Buffer.compare(incoming.version, known.version) > 0;
}

/**
 * A job event does not say whose branch it ran on, and a fork's branch may have any name. It has no id of its workflow, and at Gitea no
 * name either. The job's run decides, if stored.
 */
function runFollower(
  runs: RowTable<RunRow>,
  stored: ReadonlyMap<string, RunOfJobs>,
): (job: JobRow) => JobRow {
  return (job) => {
    const run = runs.find(runKey(job)) ?? stored.get(runKey(job));
    if (run === undefined) return job;
    const { onDefaultBranch } = run;
    const workflowName = run.workflowName ?? job.workflowName;
    const isSame = onDefaultBranch === job.onDefaultBranch && workflowName === job.workflowName;
    return isSame ? job : { ...job, onDefaultBranch, workflowName };
  };
}

function outcomeOf(
  type: QueuedEvent,
  before: VersionedRow | undefined,
  incoming: VersionedRow,
): EventOutcome {
  if (before === undefined || isNewer(incoming, before)) return { outcome: 'stored', final: [] };
  return {
    outcome: 'stale',
    reason: staleReason(eventTypeOf(type).staleRules, before.version, incoming.version),
  };
}

/** Open screens need each object once, in its final state. */
function attachFinalRows(tables: Tables, events: readonly MonitoringEvent[], outcomes: EventOutcome[]): void {
  const attached = new Set<string>();
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const outcome = outcomes[index]!;
    if (outcome.outcome !== 'stored') continue;
    outcome.final = [...outcome.final, events[index]!].flatMap(({ type, row }) => {
      const key = `${type} ${eventTypeOf(type).object.keyOf(row)}`;
      if (attached.has(key)) return [];
      attached.add(key);
      return { type, row: tableOf(tables, type).current(row) };
    });
  }
}

/** The rows of one kind of object while a batch changes them. */
interface RowTable<Row> {
  /** Merges `incoming` into its object and returns the object's previous state. */
  apply(incoming: Row): Row | undefined;
  find(key: string): Row | undefined;
  current(row: Row): Row;
  /** `each` must return the same row when it changes nothing. */
  change(each: (row: Row) => Row): void;
  /** Ordered by key, so that concurrent writers cannot deadlock. */
  changes(): Change<Row>[];
}

function rowTable<Row>({ keyOf, merge }: StoredObject<Row>, stored: readonly Row[]): RowTable<Row> {
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
