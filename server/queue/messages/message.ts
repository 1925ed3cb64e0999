import { randomUUID } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { nullable } from '#contract/schema.ts';
import type { PayloadNames } from './payload-names.ts';

const deliveryFields = {
  eventType: Type.String(),
  deliveryId: Type.String(),
  receivedAt: Type.String({ format: 'date-time' }),
  payload: Type.Optional(Type.Unknown()),
  payloadRef: Type.Optional(Type.String({ format: 'uuid' })),
  /** Of a payload that lies apart, so that a list need not open it. */
  names: Type.Optional(Type.Object({ action: nullable(Type.String()), repository: nullable(Type.String()) })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
};

/** A webhook event; `payloadRef` stands for a payload too large for a message (specification 2.6). */
const WebhookMessage = Type.Object({ ...deliveryFields, integrationId: Type.String() });
type WebhookMessage = Static<typeof WebhookMessage>;

const InstallationId = Type.String({ pattern: '^[1-9][0-9]{0,17}$' });

/** An event of the forge application. */
const AppMessage = Type.Object({ ...deliveryFields, installationId: InstallationId });
export type AppMessage = Static<typeof AppMessage>;

/** Work that is not an event, in the same order as the events of its group. */
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
  /** JSON in UTF-8, embedded as received: it is neither parsed nor written anew. */
  payload?: Buffer;
  payloadRef?: string;
  names?: PayloadNames;
  /** Of the delivery, to show to whoever looks for a fault. */
  headers?: Record<string, string>;
}

/** Of an integration, or of the forge application. */
export type WebhookContent = Delivery & ({ integrationId: string } | { installationId: string });

/** The payload stands first, so that nothing in it can take the place of the fields after it. */
export function buildWebhookMessage({ payload, payloadRef, receivedAt, ...head }: WebhookContent): Buffer {
  const envelope = JSON.stringify({ ...head, receivedAt: receivedAt.toISOString(), payloadRef });
  if (payload === undefined || payloadRef !== undefined) return Buffer.from(envelope);
  return Buffer.concat([beforePayload, payload, Buffer.from(`,${envelope.slice(1)}`)]);
}

/** How a message with a payload begins. */
export const beforePayload = Buffer.from('{"payload":');

const replayPrefix = 'replay-';

/** Of a delivery that a person queues again, past the deduplication. */
export function makeReplayId(): string {
  return replayPrefix + randomUUID();
}

export function isReplayId(deduplicationId: string): boolean {
  return deduplicationId.startsWith(replayPrefix);
}

export type ParsedMessage =
  | { ok: true; message: WebhookMessage | AppMessage | TaskMessage }
  | { ok: false; reason: 'invalid_json' | 'invalid_message'; detail: string };

/** Asks for the members of an installation's organization to be read anew. */
export function buildTaskMessage(task: TaskMessage): Buffer {
  return Buffer.from(JSON.stringify(task));
}

/** Reads a message's body; never throws, whatever is in it. */
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

/** JSON never holds undefined, so that it can stand for "not JSON"; nesting deep enough to end the stack is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
