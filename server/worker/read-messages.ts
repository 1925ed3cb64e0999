import { setImmediate as nextTurn } from 'node:timers/promises';
import { inlineJsonBytes } from '#platform/json/scan-json.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import type { MonitoringEvent } from '#server/events/parse-event.ts';
import { isReplayId } from '#server/queue/messages/message.ts';
import type { MessageFailure, QueueRecord } from '#server/queue/queue.ts';
import { readMessage } from './read-message.ts';

/** An event of an integration. */
export interface EventMessage {
  messageId: string;
  event: MonitoringEvent;
  /** Milliseconds since the epoch; null when no webhook brought it, or somebody replayed that. */
  receivedAt: number | null;
}

/** A record that can be stored, or the reason why it never can. */
export type ReadMessage =
  | ({ ok: true } & EventMessage)
  | { ok: true; messageId: string; work: AppWork }
  | ({ ok: false } & MessageFailure);

export interface ReadMessagesDeps {
  /** Does what is no event of an integration. */
  appWorker: AppWorker;
  /** Loads payloads too large for a message; undefined when there is none under that reference. */
  loadLargePayload(groupId: string, payloadRef: string): Promise<Buffer | undefined>;
}

/** Parses every record. Rejects only when a large payload cannot be read because the database is away. */
export async function readMessages(
  deps: ReadMessagesDeps,
  records: readonly QueueRecord[],
): Promise<ReadMessage[]> {
  const read: ReadMessage[] = [];
  let bytesOfTurn = 0;
  // One after the other: payloads that are kept apart may have tens of MiB each, of which little is left when parsed.
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
