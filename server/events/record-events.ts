import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import { addToCounters } from '#server/ci-metrics/add-to-counters.ts';
import { reduceEvents, type EventOutcome, type StoredRows } from './reduce-events.ts';
import {
  findNames,
  insertBranchEnds,
  insertLeftBranches,
  insertNamedForks,
  renameForks,
  saveNames,
} from './names/name-store.ts';
import { placeIds, placesOf } from './names/place-ids.ts';
import { resolveNames, type MovedDefaultBranch, type Renaming } from './names/resolve-names.ts';
import { findRowsOf, saveRows } from './store.ts';
import type { ObjectUpdate } from './types/event-type.ts';
import { eventTypeOf } from './types/event-types.ts';
import type { StaleReason } from '#server/runs/staleness.ts';

export type RecordedEvent = {
  /** With its assigned attempt, when the forge does not number attempts. */
  event: MonitoringEvent;
} /** `updates` go to open screens: the final state of each object, on the last event of the batch that changed it. */ & (
  | { outcome: 'stored'; updates: ObjectUpdate[] }
  /** Older than the stored row. Facts that only grow were stored all the same. */
  | { outcome: 'stale'; reason: StaleReason }
);

/**
 * Stores a batch in the caller's transaction and returns one outcome for each event, in order. The transaction's scope must
 * cover all integrations of the batch, and the caller must be the only writer of each. Takes one round trip: the writes are
 * sent without waiting, and a failed write fails the commit. `now` is the database's clock, if known: it saves a query for the
 * hour in progress, which is never finalized.
 */
export async function recordEvents(
  tx: Tx,
  received: readonly MonitoringEvent[],
  now?: Promise<number | undefined>,
): Promise<RecordedEvent[]> {
  if (received.length === 0) return [];
  const [foundFirst, known] = await Promise.all([findRowsOf(tx, received), findNames(tx, received)]);
  const names = { ...known, hosts: placesOf(known.hosts, received) };
  const events = placeIds(names, received);
  const found = events === received ? foundFirst : await findRowsOf(tx, events);
  const named = resolveNames(names, events, found.runsOfJobs);
  saveNames(tx, named);
  insertLeftBranches(tx, named.movedBranches);
  for (const each of named.renamed) void sentAhead(addLogEntry(tx, renamedEntry(each)));
  for (const each of named.movedBranches) void sentAhead(addLogEntry(tx, movedBranchEntry(each)));
  const stored = await withPullRequests(tx, found, events, named.events);
  const { events: numbered, outcomes, changed, deltas, counters } = reduceEvents(stored, named.events);
  saveRows(tx, changed, deltas, await now);
  insertNamedForks(tx, stored.workflow_run, changed.workflow_run);
  renameForks(tx, named.renamedForks);
  insertBranchEnds(tx, stored.pull_request, changed.pull_request);
  addToCounters(tx, counters);
  return outcomes.map((outcome, index) => recordedEvent(numbered[index]!, outcome));
}

function renamedEntry({ integrationId, repository, from, to }: Renaming): LogEntry {
  const isWorkflow = repository !== null;
  return {
    integrationId,
    type: isWorkflow ? 'repository.workflow_renamed' : 'repository.renamed',
    title: isWorkflow
      ? `The workflow “${from}” in ${repository} is now called “${to}”`
      : `${from} is now called ${to}`,
    details: { repository: repository ?? to, from, to },
  };
}

function movedBranchEntry({ integrationId, shownRepository, from, to }: MovedDefaultBranch): LogEntry {
  return {
    integrationId,
    type: 'repository.default_branch_changed',
    title: `The default branch of ${shownRepository} is now ${to} instead of ${from}`,
    details: { repository: shownRepository, from, to },
  };
}

/** Pull requests of a renamed repository are stored under its first name. */
async function withPullRequests(
  tx: Tx,
  found: StoredRows,
  received: readonly MonitoringEvent[],
  named: readonly MonitoringEvent[],
): Promise<StoredRows> {
  const moved = named.filter(
    ({ type, row }, index) => type === 'pull_request' && row.repository !== received[index]!.row.repository,
  );
  if (moved.length === 0) return found;
  const { pull_request: others } = await findRowsOf(tx, moved);
  return { ...found, pull_request: [...found.pull_request, ...others] };
}

function recordedEvent(event: MonitoringEvent, result: EventOutcome): RecordedEvent {
  if (result.outcome === 'stale') return { event, ...result };
  const updates = result.final.flatMap(({ type, row }) => eventTypeOf(type).update?.(row) ?? []);
  return { event, outcome: 'stored', updates };
}
