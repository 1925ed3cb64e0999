import type { WorkflowJob, WorkflowRun } from '#contract/monitoring.ts';
import type { Tx } from '#platform/database/database.ts';
import { jobObject } from '#server/runs/job-object.ts';
import type { MonitoringEvent } from './parse-event.ts';
import { reduceEvents, type EventOutcome } from './reduce-events.ts';
import { runObject } from '#server/runs/run-object.ts';
import type { StaleReason } from '#server/runs/staleness.ts';
import { findRowsOf, saveRows } from './store.ts';

export type RecordedEvent = {
  /** With the attempt that it is of, where it came without. */
  event: MonitoringEvent;
} /** `updates` are what screens must be told: final states, each on the last event of the batch that changed the object. */ & (
  | { outcome: 'stored'; updates: ObjectUpdate[] }
  /** Older than what is stored. Facts that only grow were kept even so. */
  | { outcome: 'stale'; reason: StaleReason }
);

/** A run or job as every list and screen shows it. */
export type ObjectUpdate =
  | { type: 'workflow_run'; data: WorkflowRun }
  | { type: 'workflow_job'; data: WorkflowJob };

/**
 * Stores a batch inside the caller's transaction, whose scope covers all its integrations, and answers one outcome for
 * each event in their order. One round trip, whatever the size; the writes are sent and fail the commit if they fail. The
 * caller sees to one writer per integration at a time. `now` is the database's clock, where that is known: then nothing is
 * asked about the hour in progress, which cannot be settled.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly MonitoringEvent[],
  now?: Promise<number | undefined>,
): Promise<RecordedEvent[]> {
  if (events.length === 0) return [];
  const stored = await findRowsOf(tx, events);
  const { events: numbered, outcomes, changed, deltas } = reduceEvents(stored, events);
  saveRows(tx, changed, deltas, await now);
  return outcomes.map((outcome, index) => recordedEvent(numbered[index]!, outcome));
}

function recordedEvent(event: MonitoringEvent, result: EventOutcome): RecordedEvent {
  if (result.outcome === 'stale') return { event, ...result };
  const updates: ObjectUpdate[] = [];
  if (result.run) updates.push({ type: 'workflow_run', data: runObject(result.run) });
  if (result.job) updates.push({ type: 'workflow_job', data: jobObject(result.job) });
  return { event, outcome: 'stored', updates };
}
