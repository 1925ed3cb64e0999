import type { Tx } from '#platform/database/database.ts';
import type { MonitoringEvent } from './parsing/parse-event.ts';
import { addToCounters } from '#server/ci-metrics/add-to-counters.ts';
import { reduceEvents, type EventOutcome } from './reduce-events.ts';
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
  events: readonly MonitoringEvent[],
  now?: Promise<number | undefined>,
): Promise<RecordedEvent[]> {
  if (events.length === 0) return [];
  const stored = await findRowsOf(tx, events);
  const { events: numbered, outcomes, changed, deltas, counters } = reduceEvents(stored, events);
  saveRows(tx, changed, deltas, await now);
  addToCounters(tx, counters);
  return outcomes.map((outcome, index) => recordedEvent(numbered[index]!, outcome));
}

function recordedEvent(event: MonitoringEvent, result: EventOutcome): RecordedEvent {
  if (result.outcome === 'stale') return { event, ...result };
  const updates = result.final.flatMap(({ type, row }) => eventTypeOf(type).update?.(row) ?? []);
  return { event, outcome: 'stored', updates };
}
