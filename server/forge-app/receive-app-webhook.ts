import type { IncomingHttpHeaders } from 'node:http';
import type { DiskGuard } from '#platform/database/disk-guard.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { EnqueueEvent } from '#server/ingestion/enqueue-event.ts';
import { deliveryHeaders } from '#server/ingestion/event-types.ts';
import { hasSignatureForm, isSignedBy } from '#server/ingestion/signatures/signature.ts';
import { prepareWebhook } from '#server/ingestion/prepare-webhook.ts';
import { isForm } from '#server/ingestion/webhook-body.ts';
import { appEventTypes } from './app-event.ts';

export interface ReceiveAppDeps {
  /** FORGE_APP_WEBHOOK_SECRET. */
  webhookSecret: string | undefined;
  eventHeaders: readonly string[];
  enqueue: EnqueueEvent;
  disk: Pick<DiskGuard, 'requireSpace'>;
  clock: Clock;
}

/**
 * Receives a delivery of the forge application. Checks the signature over the received bytes before anything is parsed, then the
 * event type and the JSON. Resolves when the event is durable in the queue. @throws AppError
 */
export async function receiveAppWebhook(
  { webhookSecret, eventHeaders, enqueue, disk, clock }: ReceiveAppDeps,
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
): Promise<void> {
  if (webhookSecret === undefined)
    throw new AppError('forge_app_not_configured', {
      detail: 'FORGE_APP_WEBHOOK_SECRET is not configured on this server.',
    });
  const signature = headers['x-hub-signature-256'];
  if (!hasSignatureForm(signature) || !(await isSignedBy(Buffer.from(webhookSecret), body, signature)))
    throw new AppError('invalid_signature', {
      detail: 'X-Hub-Signature-256 must be the signature of the body with FORGE_APP_WEBHOOK_SECRET.',
    });
  const { eventName, deliveryId } = deliveryHeaders(headers, eventHeaders);
  if (eventName === 'ping') return;
  const eventType = appEventTypes.find((each) => each === eventName);
  if (eventType === undefined)
    throw new AppError('unsupported_event', {
      detail: `Supported events: ${[...appEventTypes, 'ping'].join(', ')}.`,
    });
  disk.requireSpace();
  const receivedAt = new Date(clock());
  const delivery = { eventName: eventType, forge: undefined, deliveryId, receivedAt };
  const verified = { body, isForm: isForm(headers['content-type']), delivery, isOfApp: true };
  // The application has one secret for all of its webhooks.
  const { verdict, payload, names, ...read } = await prepareWebhook(verified, 'application');
  if (verdict === 'invalid')
    throw new AppError('invalid_json', {
      detail: 'Send JSON, or a form with JSON in its field "payload".',
    });
  if (verdict !== 'ok')
    throw new AppError('payload_too_complex', {
      detail: 'The body is too complex to find its installation.',
    });
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
    throw new AppError('invalid_request', { detail: 'The payload does not contain an installation id.' });
  return String(id);
}
