import { setImmediate as nextTurn } from 'node:timers/promises';
import { inlineJsonBytes, jsonLimits, scanJson } from '#platform/json/scan-json.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import { type MonitoringEvent, restoreVersion, parseEvent } from '#server/events/parsing/parse-event.ts';
import { isReplayId, parseMessage } from '#server/queue/messages/message.ts';
import type { MessageFailure, QueueRecord } from '#server/queue/queue.ts';
import { queuedEvents } from '#contract/integrations/integrations.ts';
import { runInThread } from '#platform/threads/run-in-thread.ts';
import { readAppWork } from '#server/forge-app/read-app-work.ts';
import { readSampleDelivery } from '#server/sample-data/sample-delivery.ts';
import { isSampleRepository, sampleRepositories } from '#server/sample-data/sample-repositories.ts';

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
    const { body } = record;
    bytesOfTurn += body.length;
    if (bytesOfTurn > inlineJsonBytes) {
      bytesOfTurn = body.length;
      await nextTurn();
    }
    read.push(await readRecord(deps, record, body));
  }
  return read;
}

async function readRecord(
  deps: ReadMessagesDeps,
  { messageId, attributes }: QueueRecord,
  body: string,
): Promise<ReadMessage> {
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

interface RawMessage {
  body: string;
  groupId: string;
  /** The payload that the message refers to. A large one is moved to a thread and empty afterwards. */
  payload?: Uint8Array;
}

/** A parsed message, or the reason why it can never be stored. With `payloadRef`, read it again with that payload. */
type MessageRead =
  | { ok: true; event: MonitoringEvent; receivedAt: number; sampleGeneration: number | null }
  | { ok: true; work: AppWork }
  | { ok: false; reason: string; detail?: string }
  | { payloadRef: string };

/** Large messages are parsed in a thread. */
async function readMessage(message: RawMessage): Promise<MessageRead> {
  const { body, payload } = message;
  if (Math.max(body.length, payload?.length ?? 0) <= inlineJsonBytes) return task(message);
  const moved = payload === undefined ? [] : [payload.buffer];
  const read = await runInThread<RawMessage, MessageRead>(
    new URL('read-messages.ts', import.meta.url),
    message,
    { lane: 'webhooks', owner: message.groupId, transfer: moved },
  );
  return 'event' in read ? { ...read, event: restoreVersion(read.event) } : read;
}

/** @public Runs in a thread as well. */
export function task({ body, groupId, payload: bytes }: RawMessage): MessageRead {
  const parsed = parseMessage(body);
  if (!parsed.ok) return parsed;
  const { message } = parsed;
  if ('taskType' in message) return readAppWork(message, undefined, groupId);
  // The group comes from the verified signature. The body must not choose another integration.
  if ('integrationId' in message && message.integrationId !== groupId) {
    return { ok: false, reason: 'invalid_message', detail: 'integrationId is not that of the group' };
  }
  const { payloadRef } = message;
  if (payloadRef !== undefined && bytes === undefined) return { payloadRef };
  const refusal = bytes && refusalOf(bytes);
  if (refusal !== undefined) return { ok: false, ...refusal };
  const payload: unknown = bytes === undefined ? message.payload : JSON.parse(Buffer.from(bytes).toString());
  if ('installationId' in message) return readAppWork(message, payload, groupId);
  const eventType = queuedEvents.find((event) => event === message.eventType);
  if (eventType === undefined) return { ok: false, reason: 'unsupported_event' };
  const receivedAt = Date.parse(message.receivedAt);
  const { integrationId } = message;
  const sample = readSampleDelivery(message.deliveryId);
  const deliveryId = sample?.forgeId ?? message.deliveryId;
  const read = parseEvent({ eventType, integrationId, deliveryId, receivedAt, payload });
  if (!read.ok) return read;
  const detail = misplaced(read.event.row.repository, sample !== undefined);
  if (detail !== undefined) return { ok: false, reason: 'invalid_payload', detail };
  return { ...read, receivedAt, sampleGeneration: sample?.generation ?? null };
}

/** Sample data is in its own repositories and nothing else is, so that it can be removed again. */
function misplaced(repository: string, isSample: boolean): string | undefined {
  if (isSample)
    return sampleRepositories.includes(repository)
      ? undefined
      : 'repository.full_name is not one of sample data';
  return isSampleRepository(repository) ? 'repository.full_name is reserved for sample data' : undefined;
}

/** A payload that exceeds a limit is always stored separately, so the message itself can be parsed. */
function refusalOf(payload: Uint8Array): { reason: string; detail: string } | undefined {
  switch (scanJson(payload)) {
    case 'too_deep':
      return {
        reason: 'payload_too_complex',
        detail: `the payload is nested more than ${jsonLimits.depth} levels deep`,
      };
    case 'too_many_values':
      return {
        reason: 'payload_too_complex',
        detail: `the payload holds more than ${jsonLimits.values} values`,
      };
    case 'invalid':
      return { reason: 'invalid_json', detail: 'the payload is not JSON' };
    default:
      return undefined;
  }
}
