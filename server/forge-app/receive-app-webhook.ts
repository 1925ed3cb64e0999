import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { EnqueueEvent } from '#server/ingestion/enqueue-event.ts';
import { deliveryHeaders } from '#server/ingestion/event-types.ts';
import { hasSignatureForm, isSignedBy } from '#server/ingestion/signature.ts';
import { readJsonText } from '#server/ingestion/webhook-body.ts';
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
  if (!hasSignatureForm(signature) || !isSignedBy(Buffer.from(webhookSecret), body, signature))
    throw new AppError('invalid_signature');
  const { eventName, deliveryId } = deliveryHeaders(headers, eventHeaders);
  if (eventName === 'ping') return;
  const eventType = appEventTypes.find((each) => each === eventName);
  if (eventType === undefined)
    throw new AppError('unsupported_event', {
      detail: `Supported events: ${[...appEventTypes, 'ping'].join(', ')}.`,
    });
  const payload = readJsonText(body, headers['content-type']);
  if (payload === undefined)
    throw new AppError('invalid_json', {
      detail: 'Send JSON, or a form whose field "payload" holds JSON.',
    });
  await enqueue({
    installationId: installationOf(payload),
    eventType,
    deliveryId: deliveryId ?? createHash('sha256').update(eventType).update('\n').update(body).digest('hex'),
    receivedAt: new Date(clock()),
    payload,
  });
}

function installationOf(payload: Buffer): string {
  const { installation } = Object(JSON.parse(payload.toString())) as { installation?: { id?: unknown } };
  const id = Object(installation).id as unknown;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw new AppError('invalid_request', { detail: 'The payload names no installation.' });
  return String(id);
}
