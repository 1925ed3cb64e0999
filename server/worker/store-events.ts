import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { recordEvents, type RecordedEvent } from '#server/events/record-events.ts';
import type { MonitoringEvent } from '#server/events/parse-event.ts';
import type { StaleReason } from '#server/runs/staleness.ts';
import type { MessageFailure } from '#server/queue/queue.ts';
import {
  appendUpdates,
  lockStreams,
  type CommittedUpdate,
  type LiveUpdate,
} from '#server/realtime/append-updates.ts';

import type { EventMessage } from './read-messages.ts';

export interface StoredCounts {
  stored: number;
  stale: number;
}

export interface StoredEvents {
  counts: StoredCounts;
  /** What open screens are told after the commit; known by then, and not waited for before. */
  updates: Promise<CommittedUpdate[]>;
  failures: MessageFailure[];
}

/** What became of one message. `isShown` says whether open screens are told. */
export type MessageOutcome = {
  messageId: string;
  integrationId: string;
  eventType: MonitoringEvent['type'];
  event: MonitoringEvent;
  /** When its webhook was received; null when there was none, or somebody replayed it. */
  receivedAt: number | null;
} & ({ outcome: 'stored'; isShown: boolean } | { outcome: 'stale'; reason: StaleReason });

/** Sends what else belongs to the transaction, and does not wait for it. */
export type TransactionHook = (
  tx: Tx,
  stored: readonly LiveUpdate[],
  outcomes: readonly MessageOutcome[],
) => void;

/**
 * Writes a batch inside the caller's transaction: the events, then the updates they mean for open screens. With
 * `together: false` each event stands behind a savepoint, and one that cannot be stored becomes a failure of its own.
 */
export async function storeEvents(
  tx: Tx,
  messages: readonly EventMessage[],
  { together, inTransaction }: { together: boolean; inTransaction?: TransactionHook },
): Promise<StoredEvents> {
  if (messages.length === 0)
    return { counts: { stored: 0, stale: 0 }, updates: Promise.resolve([]), failures: [] };
  // Sent, not waited for: what follows on the same connection is served after it.
  const integrationIds = [...new Set(messages.map(({ event }) => event.integrationId))];
  const locked = sentAhead(lockStreams(tx, integrationIds));
  const failures: MessageFailure[] = [];
  const recorded: (RecordedEvent | undefined)[] = together
    ? await recordEvents(
        tx,
        messages.map(({ event }) => event),
        locked,
      )
    : await recordOneByOne(tx, messages, failures, locked);
  await locked;
  const live = recorded.flatMap((result): LiveUpdate[] =>
    result?.outcome === 'stored' ? result.updates : [],
  );
  const outcomes = messages.flatMap((message, index) => outcomeOf(message, recorded[index]));
  inTransaction?.(tx, live, outcomes);
  const stored = outcomes.filter(({ outcome }) => outcome === 'stored').length;
  return {
    counts: { stored, stale: outcomes.length - stored },
    updates: sentAhead(appendUpdates(tx, live, integrationIds)),
    failures,
  };
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

/** In the order of the messages; undefined for what failed. */
async function recordOneByOne(
  tx: Tx,
  messages: readonly EventMessage[],
  failures: MessageFailure[],
  now: Promise<number | undefined>,
): Promise<(RecordedEvent | undefined)[]> {
  const recorded: (RecordedEvent | undefined)[] = [];
  for (const { messageId, event } of messages) {
    await tx.query('savepoint one_event');
    try {
      const outcome = await recordEvents(tx, [event], now);
      await tx.query('release savepoint one_event');
      recorded.push(...outcome);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      await tx.query('rollback to savepoint one_event');
      failures.push({ messageId, ...failureOf(error) });
      recorded.push(undefined);
    }
  }
  return recorded;
}

/** SQLSTATE names the kind of refusal without quoting the row; anything else is a fault of ours, found in the log. */
export function failureOf(error: unknown): { reason: string; detail?: string } {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string'
    ? { reason: 'refused_by_store', detail: `SQLSTATE ${code}` }
    : { reason: 'internal_error' };
}
