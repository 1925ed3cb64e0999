import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { EnqueueEvent } from '#server/ingestion/enqueue-event.ts';
import { deliveryHeaders } from '#server/ingestion/event-types.ts';
import { hasSignatureForm, isSignedBy } from '#server/ingestion/signature.ts';
import { prepareWebhook } from '#server/ingestion/prepare-webhook.ts';
import { isForm } from '#server/ingestion/webhook-body.ts';
import { appEventTypes } from './app-event.ts';

export interface ReceiveAppDeps {
  /** FORGE_APP_WEBHOOK_SECRET. */
  webhookSecret: string | undefined;
  eventHeaders: readonly string[];
  enqueue: EnqueueEvent;
  clock: Clock;
}

/**
 * A delivery to the forge application, in the order of http-api.md: signature over the received bytes, event type, ping,
 * JSON, queue. Resolves once it needs no more from the forge. @throws AppError
 */
export async function receiveAppWebhook(
  { webhookSecret, eventHeaders, enqueue, clock }: ReceiveAppDeps,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
): Promise<void> {
  if (webhookSecret === undefined)
    throw new AppError('forge_app_not_configured', {
      detail: 'Whoever runs this service sets FORGE_APP_WEBHOOK_SECRET.',
    });
  const signature = headers['x-hub-signature-256'];
  if (!hasSignatureForm(signature) || !(await isSignedBy(Buffer.from(webhookSecret), body, signature)))
    throw new AppError('invalid_signature');
  const { eventName, deliveryId } = deliveryHeaders(headers, eventHeaders);
  if (eventName === 'ping') return;
  const eventType = appEventTypes.find((each) => each === eventName);
  if (eventType === undefined)
    throw new AppError('unsupported_event', {
      detail: `Supported events: ${[...appEventTypes, 'ping'].join(', ')}.`,
    });
  const receivedAt = new Date(clock());
  const { verdict, payload, names, ...read } = await prepareWebhook({
    body,
    isForm: isForm(headers['content-type']),
    delivery: { eventName: eventType, forge: undefined, deliveryId, receivedAt },
    isOfApp: true,
  });
  if (verdict === 'invalid')
    throw new AppError('invalid_json', {
      detail: 'Send JSON, or a form whose field "payload" holds JSON.',
    });
  // Which installation it is for, and with that its place in the queue, stands in what is not parsed.
  if (verdict !== 'ok') throw new AppError('payload_too_complex');
  await enqueue({
    installationId: installationOf(read.installationId),
    eventType,
    deliveryId: read.deliveryId,
    receivedAt,
    payload,
    ...(names && { names }),
    isTooComplex: false,
  });
}

function installationOf(id: unknown): string {
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw new AppError('invalid_request', { detail: 'The payload names no installation.' });
  return String(id);
}
