import { randomUUID } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { nullable } from '#contract/base/schema.ts';
import { readSampleDelivery, sampleDeliveryId } from '#server/sample-data/sample-delivery.ts';
import type { Bytes } from '../queue.ts';
import type { PayloadNames } from './payload-names.ts';

const deliveryFields = {
  eventType: Type.String(),
  deliveryId: Type.String(),
  receivedAt: Type.String({ format: 'date-time' }),
  payload: Type.Optional(Type.Unknown()),
  payloadRef: Type.Optional(Type.String({ format: 'uuid' })),
  /** Fields of a payload that is stored separately, so that a list does not have to open it. */
  names: Type.Optional(Type.Object({ action: nullable(Type.String()), repository: nullable(Type.String()) })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
};

/** A webhook event. `payloadRef` replaces a payload that is too large for a message. */
const WebhookMessage = Type.Object({ ...deliveryFields, integrationId: Type.String() });
type WebhookMessage = Static<typeof WebhookMessage>;

const InstallationId = Type.String({ pattern: '^[1-9][0-9]{0,17}$' });

/** An event of the forge application. */
const AppMessage = Type.Object({ ...deliveryFields, installationId: InstallationId });
export type AppMessage = Static<typeof AppMessage>;

/** A task that is not an event. It keeps its order among the events of its group. */
const TaskMessage = Type.Object({
  taskType: Type.Literal('org_member_sync'),
  integrationId: Type.String({ format: 'uuid' }),
  installationId: InstallationId,
});
export type TaskMessage = Static<typeof TaskMessage>;

const webhookMessage = Compile(WebhookMessage);
const appMessage = Compile(AppMessage);
const taskMessage = Compile(TaskMessage);

interface Delivery {
  eventType: string;
  deliveryId: string;
  receivedAt: Date;
  /** JSON in UTF-8, embedded as received, without parsing. */
  payload?: Buffer;
  payloadRef?: string;
  names?: PayloadNames;
  /** Headers of the delivery, shown on its page. */
  headers?: Record<string, string>;
}

/** Of an integration, or of the forge application. */
export type WebhookContent = Delivery & ({ integrationId: string } | { installationId: string });

/** The payload is the first field: with duplicate names the last field wins, so a payload cannot replace the other fields. */
export function buildWebhookMessage({ payload, payloadRef, receivedAt, ...head }: WebhookContent): Bytes {
  const envelope = JSON.stringify({ ...head, receivedAt: receivedAt.toISOString(), payloadRef });
  if (payload === undefined || payloadRef !== undefined) return Buffer.from(envelope);
  return inParts([beforePayload, payload, Buffer.from(`,${envelope.slice(1)}`)]);
}

function inParts(parts: readonly Buffer[]): Bytes {
  return {
    length: parts.reduce((sum, { length }) => sum + length, 0),
    copy: (target, start) => parts.reduce((sum, part) => sum + part.copy(target, start + sum), 0),
  };
}

/** The first bytes of a message with a payload. */
export const beforePayload = Buffer.from('{"payload":');

const replayPrefix = 'replay-';

/** Delivery id of a replay. It is new each time, so a replay is never a duplicate. That of sample data is sample data too. */
export function makeReplayId(deliveryId: string): string {
  const sample = readSampleDelivery(deliveryId);
  const forgeId = replayPrefix + randomUUID();
  return sample === undefined ? forgeId : sampleDeliveryId({ ...sample, forgeId });
}

export function isReplayId(deduplicationId: string): boolean {
  const forgeId = readSampleDelivery(deduplicationId)?.forgeId ?? deduplicationId;
  return forgeId.startsWith(replayPrefix);
}

export type ParsedMessage =
  | { ok: true; message: WebhookMessage | AppMessage | TaskMessage }
  | { ok: false; reason: 'invalid_json' | 'invalid_message'; detail: string };

/** Requests a member sync of an installation. */
export function buildTaskMessage(task: TaskMessage): Buffer {
  return Buffer.from(JSON.stringify(task));
}

/** Never throws, whatever the body contains. */
export function parseMessage(body: string): ParsedMessage {
  const value = parseJson(body);
  if (value === undefined) return { ok: false, reason: 'invalid_json', detail: 'the body is not JSON' };
  if (taskMessage.Check(value)) return { ok: true, message: value };
  if (appMessage.Check(value)) return { ok: true, message: value };
  if (webhookMessage.Check(value)) return { ok: true, message: value };
  const [error] = webhookMessage.Errors(value);
  return {
    ok: false,
    reason: 'invalid_message',
    detail: `${error?.instancePath || 'the body'} ${error?.message ?? ''}`.trim(),
  };
}

/** Undefined for text that is not JSON, or is nested so deeply that the parser overflows the stack. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
