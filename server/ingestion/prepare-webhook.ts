import { createHash } from 'node:crypto';
import { inlineJsonBytes, scanJson, type JsonVerdict } from '#platform/json/scan-json.ts';
import { fields } from '#platform/runtime/json-fields.ts';
import { runInThread } from '#platform/threads/run-in-thread.ts';
import { payloadNames, type PayloadNames } from '#server/queue/messages/payload-names.ts';
import { adapterOf, adaptPayload, type Delivery } from './other-forges/adapt-event.ts';
import { textOfBody } from './webhook-body.ts';

/** A verified webhook, as received. */
export interface VerifiedWebhook {
  /** A large body is moved to a thread and empty afterwards. */
  body: Buffer;
  isForm: boolean;
  /** Without a delivery id of the forge, a hash of the body is used. */
  delivery: Omit<Delivery, 'deliveryId'> & { deliveryId: string | undefined };
  /** Whether to read the installation id. */
  isOfApp?: boolean;
}

export interface PreparedWebhook {
  verdict: JsonVerdict;
  /** The payload in GitHub's format. As received when it exceeds a limit. Empty when it is not JSON. */
  payload: Buffer;
  deliveryId: string;
  /** For a large payload, which the message does not contain. */
  names?: PayloadNames;
  installationId?: unknown;
}

/** Validates and adapts the JSON of a webhook. A large one is handled in a thread, in a turn of `owner`. */
export async function prepareWebhook(webhook: VerifiedWebhook, owner: string): Promise<PreparedWebhook> {
  if (webhook.body.length <= inlineJsonBytes) return task(webhook);
  const prepared = await runInThread<VerifiedWebhook, PreparedWebhook>(
    new URL('prepare-webhook.ts', import.meta.url),
    webhook,
    { lane: 'webhooks', owner, transfer: [webhook.body.buffer] },
  );
  return { ...prepared, payload: asBuffer(prepared.payload) };
}

/** @public Also runs in a thread, which receives a Buffer as a Uint8Array. */
export function task({ body: bytes, isForm, delivery: received, isOfApp }: VerifiedWebhook): PreparedWebhook {
  const body = asBuffer(bytes);
  const delivery = { ...received, deliveryId: received.deliveryId ?? contentId(received.eventName, body) };
  const { deliveryId } = delivery;
  const text = textOfBody(body, isForm);
  const verdict = text === undefined ? 'invalid' : scanJson(text);
  if (text === undefined || verdict !== 'ok')
    return { verdict, payload: text ?? Buffer.alloc(0), deliveryId };

  const adapter = adapterOf(delivery);
  const isLarge = body.length > inlineJsonBytes;
  if (adapter === undefined && !isOfApp && !isLarge) return { verdict, payload: text, deliveryId };
  const parsed: unknown = JSON.parse(text.toString('utf8'));
  const payload = adapter === undefined ? parsed : adaptPayload(adapter, parsed, delivery);
  return {
    verdict,
    payload: adapter === undefined ? text : Buffer.from(JSON.stringify(payload)),
    deliveryId,
    ...(isLarge ? { names: payloadNames(payload) } : {}),
    ...(isOfApp ? { installationId: fields(fields(payload)['installation'])['id'] } : {}),
  };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function contentId(eventName: string, body: Buffer): string {
  return createHash('sha256').update(eventName).update('\n').update(body).digest('hex');
}
