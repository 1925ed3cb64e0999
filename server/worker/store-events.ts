import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { recordEvents, type RecordedEvent } from '#server/events/record-events.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import type { MessageFailure } from '#server/queue/queue.ts';
import {
  appendUpdates,
  lockStreams,
  type CommittedUpdate,
  type LiveUpdate,
} from '#server/realtime/outbox/append-updates.ts';

import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { EventMessage } from './read-messages.ts';
import type { StaleReason } from '#server/runs/staleness.ts';

export interface StoredCounts {
  stored: number;
  stale: number;
}

export interface StoredEvents {
  counts: StoredCounts;
  /** Updates to push to open screens after the commit. Pending until then. */
  updates: Promise<CommittedUpdate[]>;
  failures: MessageFailure[];
}

/** The result of one message. `isShown` says whether an update is sent to open screens. */
export type MessageOutcome = {
  messageId: string;
  integrationId: string;
  eventType: MonitoringEvent['type'];
  event: MonitoringEvent;
  /** When its webhook was received. Null without a webhook, and for a replay. */
  receivedAt: number | null;
} & ({ outcome: 'stored'; isShown: boolean } | { outcome: 'stale'; reason: StaleReason });

/** Sends further statements of the transaction without waiting for them. */
export type TransactionHook = (
  tx: Tx,
  stored: readonly LiveUpdate[],
  outcomes: readonly MessageOutcome[],
) => void;

export interface StoreOptions {
  together: boolean;
  inTransaction?: TransactionHook;
  /** Retention has removed runs of earlier times, in milliseconds. Storing them again would count them again. */
  keptSince?: number | undefined;
}

/** When what the event is about began, in milliseconds. */
function timeOf(event: MonitoringEvent): number {
  if (event.type === 'workflow_run') return event.row.createdAt;
  if (event.type === 'workflow_job') return event.row.completedAt ?? event.row.startedAt ?? Infinity;
  return Infinity;
}

/**
 * Writes a batch inside the caller's transaction: the events, then the updates for open screens. With `together: false` each
 * event is stored behind a savepoint and fails on its own.
 */
export async function storeEvents(
  tx: Tx,
  messages: readonly EventMessage[],
  { together, inTransaction, keptSince }: StoreOptions,
): Promise<StoredEvents> {
  if (messages.length === 0)
    return { counts: { stored: 0, stale: 0 }, updates: Promise.resolve([]), failures: [] };
  // Not awaited here: later statements on this connection run after it.
  const integrationIds = [...new Set(messages.map(({ event }) => event.integrationId))];
  const locked = sentAhead(lockStreams(tx, integrationIds));
  const failures: MessageFailure[] = [];
  const isKept = ({ event }: EventMessage): boolean => keptSince === undefined || timeOf(event) >= keptSince;
  const kept = messages.filter(isKept);
  const recordedKept: (RecordedEvent | undefined)[] = together
    ? await recordEvents(
        tx,
        kept.map(({ event }) => event),
        locked,
      )
    : await recordOneByOne(tx, kept, failures, locked);
  await locked;
  const results = recordedKept[Symbol.iterator]();
  const recorded = messages.map((message): RecordedEvent | undefined =>
    isKept(message)
      ? results.next().value
      : { event: message.event, outcome: 'stale', reason: 'past_retention' },
  );
  const live = recorded.flatMap((result): LiveUpdate[] =>
    result?.outcome === 'stored' ? result.updates : [],
  );
  const outcomes = messages.flatMap((message, index) => outcomeOf(message, recorded[index]));
  inTransaction?.(tx, live, outcomes);
  const stored = outcomes.filter(({ outcome }) => outcome === 'stored').length;
  return {
    counts: { stored, stale: outcomes.length - stored },
    updates: sentAhead(appendShown(tx, live, integrationIds)),
    failures,
  };
}

/** Open screens get the names for display. */
async function appendShown(
  tx: Tx,
  live: readonly LiveUpdate[],
  integrationIds: readonly string[],
): Promise<CommittedUpdate[]> {
  const [updates, names] = await Promise.all([
    appendUpdates(tx, live, integrationIds),
    live.length === 0 ? undefined : readShownNames(tx, integrationIds),
  ]);
  if (names === undefined || names.isEmpty) return updates;
  return updates.map((update) => ({ ...update, data: names.show(update.integrationId, update.data) }));
}

function outcomeOf(
  { messageId, receivedAt }: EventMessage,
  result: RecordedEvent | undefined,
): MessageOutcome[] {
  if (result === undefined) return [];
  const { event } = result;
  const name = { messageId, integrationId: event.integrationId, eventType: event.type, event, receivedAt };
  return result.outcome === 'stored'
    ? [{ ...name, outcome: 'stored', isShown: result.updates.length > 0 }]
    : [{ ...name, outcome: 'stale', reason: result.reason }];
}

/** Returns one result for each message, in the same order. Undefined for a failed message. */
async function recordOneByOne(
  tx: Tx,
  messages: readonly EventMessage[],
  failures: MessageFailure[],
  now: Promise<number | undefined>,
): Promise<(RecordedEvent | undefined)[]> {
  const recorded: (RecordedEvent | undefined)[] = [];
  for (const { messageId, event } of messages) {
    const record = () => recordEvents(tx, [event], now);
    recorded.push((await behindSavepoint(tx, messageId, failures, record))?.[0]);
  }
  return recorded;
}

/** Undefined when the work for a message fails. The failure is added, and the transaction goes on without that work. */
export async function behindSavepoint<T>(
  tx: Tx,
  messageId: string,
  failures: MessageFailure[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  await tx.query('savepoint one_message');
  try {
    const result = await work();
    await tx.query('release savepoint one_message');
    return result;
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    await tx.query('rollback to savepoint one_message');
    failures.push({ messageId, ...failureOf(error) });
    return undefined;
  }
}

/** SQLSTATE names the cause without quoting the row. Any other error is a bug; the log has its details. */
function failureOf(error: unknown): { reason: string; detail?: string } {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string'
    ? { reason: 'refused_by_store', detail: `SQLSTATE ${code}` }
    : { reason: 'internal_error' };
}
