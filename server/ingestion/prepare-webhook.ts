import { createHash } from 'node:crypto';
import { inlineJsonBytes, scanJson, type JsonVerdict } from '#platform/json/scan-json.ts';
import { fields } from '#platform/runtime/json-fields.ts';
import { runInThread } from '#platform/threads/run-in-thread.ts';
import { payloadNames, type PayloadNames } from '#server/queue/messages/payload-names.ts';
import { adapterOf, adaptPayload, type Delivery } from './adapt-event.ts';
import { textOfBody } from './webhook-body.ts';

/** A verified webhook, as received. */
export interface VerifiedWebhook {
  /** Empty afterwards when it was large. */
  body: Buffer;
  isForm: boolean;
  /** Without an id of the forge the bytes name the delivery. */
  delivery: Omit<Delivery, 'deliveryId'> & { deliveryId: string | undefined };
  /** The installation is asked for, and read. */
  isOfApp?: boolean;
}

export interface PreparedWebhook {
  verdict: JsonVerdict;
  /** The payload in the words of the common events; as received when it exceeds a bound. Nothing when it is not JSON. */
  payload: Buffer;
  deliveryId: string;
  /** Of a payload that was large, for messages that do not hold it. */
  names?: PayloadNames;
  installationId?: unknown;
}

/** Checks a webhook's JSON and turns it into what is queued. Large ones are looked at outside the event loop. */
export async function prepareWebhook(webhook: VerifiedWebhook): Promise<PreparedWebhook> {
  if (webhook.body.length <= inlineJsonBytes) return task(webhook);
  const prepared = await runInThread<VerifiedWebhook, PreparedWebhook>(new URL(import.meta.url), webhook, [
    webhook.body.buffer,
  ]);
  return { ...prepared, payload: asBuffer(prepared.payload) };
}

/** @public Runs in a thread as well, where a Buffer arrives as a plain array of bytes. */
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
