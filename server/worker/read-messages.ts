import { setImmediate as nextTurn } from 'node:timers/promises';
import { inlineJsonBytes } from '#platform/json/scan-json.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import type { MonitoringEvent } from '#server/events/parsing/parse-event.ts';
import { isReplayId } from '#server/queue/messages/message.ts';
import type { MessageFailure, QueueRecord } from '#server/queue/queue.ts';
import { readMessage } from './read-message.ts';

/** An event of an integration. */
export interface EventMessage {
  messageId: string;
  event: MonitoringEvent;
  /** Milliseconds since the epoch. Null without a webhook, and for a replay. */
  receivedAt: number | null;
}

/** An event that came in a message. */
export interface ReceivedMessage extends EventMessage {
  /** The generation of sample data; null for a delivery of a forge. */
  sampleGeneration: number | null;
}

/** A record that can be stored, or the reason why it never can. */
export type ReadMessage =
  | ({ ok: true } & ReceivedMessage)
  | { ok: true; messageId: string; work: AppWork }
  | ({ ok: false } & MessageFailure);

export interface ReadMessagesDeps {
  /** Handles app events and tasks. */
  appWorker: AppWorker;
  /** Loads a payload that is too large for a message. Undefined when it does not exist. */
  loadLargePayload(groupId: string, payloadRef: string): Promise<Buffer | undefined>;
}

/** Parses every record. Rejects only when the database is unavailable and a large payload cannot be read. */
export async function readMessages(
  deps: ReadMessagesDeps,
  records: readonly QueueRecord[],
): Promise<ReadMessage[]> {
  const read: ReadMessage[] = [];
  let bytesOfTurn = 0;
  // One at a time to limit memory: a large payload may have tens of MiB, but its parsed event is small.
  for (const record of records) {
    bytesOfTurn += record.body.length;
    if (bytesOfTurn > inlineJsonBytes) {
      bytesOfTurn = record.body.length;
      await nextTurn();
    }
    read.push(await readRecord(deps, record));
  }
  return read;
}

async function readRecord(deps: ReadMessagesDeps, record: QueueRecord): Promise<ReadMessage> {
  const { messageId, body, attributes } = record;
  const { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId } = attributes;
  const missing = { ok: false, messageId, reason: 'payload_missing' } as const;
  let read = await readMessage({ body, groupId });
  if ('payloadRef' in read) {
    const payload = await deps.loadLargePayload(groupId, read.payloadRef);
    if (payload === undefined) return missing;
    read = await readMessage({ body, groupId, payload });
  }
  if ('payloadRef' in read) return missing;
  const isReplayed = 'event' in read && isReplayId(deduplicationId);
  return { messageId, ...read, ...(isReplayed ? { receivedAt: null } : {}) };
}
