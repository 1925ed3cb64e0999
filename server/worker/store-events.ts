import { sentAhead, type Tx } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { recordEvents, type RecordedEvent } from '#server/monitoring/record-events.ts';
import type { MonitoringEvent } from '#server/monitoring/parse-event.ts';
import type { MessageFailure } from '#server/queue/queue.ts';
import {
  appendUpdates,
  lockStreams,
  type CommittedUpdate,
  type LiveUpdate,
} from '#server/realtime/append-updates.ts';

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

interface Message {
  messageId: string;
  event: MonitoringEvent;
}

/**
 * Writes a batch inside the caller's transaction: the events, then the updates they mean for open screens. With
 * `together: false` each event stands behind a savepoint, and one that cannot be stored becomes a failure of its own.
 * `alongside` sends what else belongs to the transaction, and does not wait for it.
 */
export async function storeEvents(
  tx: Tx,
  messages: readonly Message[],
  { together, alongside }: { together: boolean; alongside?: (tx: Tx, stored: readonly LiveUpdate[]) => void },
): Promise<StoredEvents> {
  if (messages.length === 0)
    return { counts: { stored: 0, stale: 0 }, updates: Promise.resolve([]), failures: [] };
  // Sent, not waited for: what follows on the same connection is served after it.
  const locked = sentAhead(lockStreams(tx, [...new Set(messages.map(({ event }) => event.integrationId))]));
  const failures: MessageFailure[] = [];
  const recorded: RecordedEvent[] = together
    ? await recordEvents(
        tx,
        messages.map(({ event }) => event),
      )
    : await recordOneByOne(tx, messages, failures);
  await locked;
  const live = recorded.flatMap((result): LiveUpdate[] =>
    result.outcome === 'stored' && result.update ? [result.update] : [],
  );
  alongside?.(tx, live);
  const stored = recorded.filter((result) => result.outcome === 'stored').length;
  return {
    counts: { stored, stale: recorded.length - stored },
    updates: sentAhead(appendUpdates(tx, live)),
    failures,
  };
}

async function recordOneByOne(
  tx: Tx,
  messages: readonly Message[],
  failures: MessageFailure[],
): Promise<RecordedEvent[]> {
  const recorded: RecordedEvent[] = [];
  for (const { messageId, event } of messages) {
    await tx.query('savepoint one_event');
    try {
      const outcome = await recordEvents(tx, [event]);
      await tx.query('release savepoint one_event');
      recorded.push(...outcome);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      await tx.query('rollback to savepoint one_event');
      failures.push({ messageId, ...failureOf(error) });
    }
  }
  return recorded;
}

/** SQLSTATE names the kind of refusal without quoting the row; anything else is a fault of ours, found in the log. */
function failureOf(error: unknown): { reason: string; detail?: string } {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string'
    ? { reason: 'refused_by_store', detail: `SQLSTATE ${code}` }
    : { reason: 'internal_error' };
}
