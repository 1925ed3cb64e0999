import { queuedEvents } from '#contract/integrations.ts';
import type { AppWork, AppWorker } from '#server/forge-app/app-work.ts';
import { parseEvent, type MonitoringEvent } from '#server/events/parse-event.ts';
import { parseMessage, type AppMessage, type TaskMessage } from '#server/queue/message.ts';
import type { MessageFailure, QueueRecord } from '#server/queue/queue.ts';

/** A record that can be stored, or the reason why it never can. */
export type ReadMessage =
  | { ok: true; messageId: string; event: MonitoringEvent }
  | { ok: true; messageId: string; work: AppWork }
  | ({ ok: false } & MessageFailure);

export interface ReadMessagesDeps {
  /** Reads what is no event of an integration. */
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
  // One after the other: payloads that are kept apart may have tens of MiB each, of which little is left when parsed.
  for (const record of records) read.push(await readMessage(deps, record));
  return read;
}

async function readMessage(deps: ReadMessagesDeps, record: QueueRecord): Promise<ReadMessage> {
  const { messageId } = record;
  const parsed = parseMessage(record.body);
  if (!parsed.ok) return { ok: false, messageId, reason: parsed.reason, detail: parsed.detail };
  const { message } = parsed;
  const groupId = record.attributes.MessageGroupId;
  if ('taskType' in message) return appWork(deps, messageId, message, undefined, groupId);
  // The group was chosen by who verified the signature; what a body says about itself must not lead elsewhere.
  if ('integrationId' in message && message.integrationId !== groupId) {
    return {
      ok: false,
      messageId,
      reason: 'invalid_message',
      detail: 'integrationId is not that of the group',
    };
  }
  let { payload } = message;
  if (message.payloadRef !== undefined) {
    const bytes = await deps.loadLargePayload(groupId, message.payloadRef);
    if (bytes === undefined) return { ok: false, messageId, reason: 'payload_missing' };
    payload = JSON.parse(bytes.toString('utf8'));
  }
  if ('installationId' in message) return appWork(deps, messageId, message, payload, groupId);
  const eventType = queuedEvents.find((event) => event === message.eventType);
  if (eventType === undefined) return { ok: false, messageId, reason: 'unsupported_event' };
  const result = parseEvent({
    eventType,
    integrationId: message.integrationId,
    deliveryId: message.deliveryId,
    receivedAt: Date.parse(message.receivedAt),
    payload,
  });
  if (!result.ok) return { ok: false, messageId, reason: result.reason, detail: result.detail };
  return { ok: true, messageId, event: result.event };
}

function appWork(
  { appWorker }: ReadMessagesDeps,
  messageId: string,
  message: AppMessage | TaskMessage,
  payload: unknown,
  groupId: string,
): ReadMessage {
  const read = appWorker.read(message, payload, groupId);
  return read.ok ? { ok: true, messageId, work: read.work } : { messageId, ...read };
}
