import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '#contract/errors.ts';
import type { Database } from '#platform/database/database.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { SecretCache } from '#server/integrations/secret-cache.ts';
import { recordSecretUse, type WebhookSecrets } from '#server/integrations/webhook-secret.ts';
import { adaptedEvents, adapterOf, adaptPayload, forgeOf } from './adapt-event.ts';
import { deliveryHeaders, supportedEvents } from './event-types.ts';
import type { EnqueueEvent } from './enqueue-event.ts';
import { hasSignatureForm, isSignedBy } from './signature.ts';
import { keptHeaders } from './kept-headers.ts';
import { isForm, readJsonText } from './webhook-body.ts';

export interface ReceiveDeps {
  db: Database;
  secrets: SecretCache;
  enqueue: EnqueueEvent;
  eventHeaders: readonly string[];
  clock: Clock;
  log: Log;
  /** Told how each delivery ended, for the metrics. */
  count(outcome: WebhookOutcome): void;
  /** Told what was refused, for the people of the integration; undefined when there is none. */
  noteRejected(integrationId: string | undefined, reason: ErrorCode): void;
}

export const webhookOutcomes = [
  'queued',
  'duplicate',
  'ping',
  'not_subscribed',
  'refused',
  'try_again',
] as const;
export type WebhookOutcome = (typeof webhookOutcomes)[number];

export interface ReceivedWebhook {
  integrationId: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * The answer table of http-api.md, in its order: signature over the received bytes, event type, ping, JSON,
 * subscription, queue. What Gitea and Forgejo call otherwise is turned into the forge's common events here. Resolves
 * when the delivery needs no more from the forge; everything else is an AppError.
 */
export async function receiveIntegrationWebhook(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
): Promise<WebhookOutcome> {
  const secrets = await verify(deps, webhook);
  const { eventName, deliveryId } = deliveryHeaders(webhook.headers, deps.eventHeaders);
  const delivery = {
    eventName: eventName ?? '',
    forge: forgeOf(webhook.headers),
    deliveryId: deliveryId ?? contentId(eventName ?? '', webhook.body),
    receivedAt: new Date(deps.clock()),
  };
  const adapter = adapterOf(delivery);
  const eventType = adapter?.eventType ?? supportedEvents.find((event) => event === eventName);
  if (eventType === undefined) {
    deps.noteRejected(webhook.integrationId, 'unsupported_event');
    const known = [...supportedEvents, ...adaptedEvents];
    throw new AppError('unsupported_event', { detail: `Supported events: ${known.join(', ')}.` });
  }
  if (eventType === 'ping') return 'ping';

  const text = readJsonText(webhook.body, webhook.headers['content-type']);
  if (text === undefined) {
    deps.noteRejected(webhook.integrationId, 'invalid_json');
    throw new AppError('invalid_json', { detail: 'Send JSON, or a form whose field "payload" holds JSON.' });
  }
  if (!secrets.events.has(eventType)) return 'not_subscribed';
  return deps.enqueue({
    integrationId: webhook.integrationId,
    eventType,
    deliveryId: delivery.deliveryId,
    receivedAt: delivery.receivedAt,
    payload: adapter === undefined ? text : adaptPayload(adapter, text, delivery),
    headers: keptHeaders(webhook.headers),
  });
}

/**
 * Notes a body that was too large to be read. Who sent it is not known without it, so for the people of the integration it
 * is a count and no more, as with a wrong signature. Never rejects: the forge has its answer already.
 */
export async function refuseTooLarge(deps: ReceiveDeps, integrationId: string): Promise<void> {
  try {
    const secrets = isUuid(integrationId) ? await findSecrets(deps, integrationId) : undefined;
    deps.noteRejected(secrets && integrationId, 'payload_too_large');
  } catch (error) {
    deps.log.warn({ err: error, integrationId }, 'a webhook that was too large could not be noted');
  }
}

/** Stands in for the secret of integrations that do not exist, so that they cost the same work. */
const nobodysSecret = Buffer.alloc(64);

async function verify(
  deps: ReceiveDeps,
  { integrationId, headers, body }: ReceivedWebhook,
): Promise<WebhookSecrets> {
  const signature = headers['x-hub-signature-256'];
  const secrets = isUuid(integrationId) ? await findSecrets(deps, integrationId) : undefined;
  const wellFormed = hasSignatureForm(signature);
  const presented = wellFormed ? signature : `sha256=${'0'.repeat(64)}`;
  const isCurrent = isSignedBy(secrets?.current ?? nobodysSecret, body, presented);
  const used = isCurrent
    ? 'current'
    : isPrevious(deps.clock, secrets, body, presented)
      ? 'previous'
      : undefined;
  if (secrets === undefined || !wellFormed || used === undefined) {
    deps.noteRejected(secrets && integrationId, 'invalid_signature');
    throw new AppError('invalid_signature', otherwiseSigned(headers));
  }
  if (used !== secrets.lastUsed) rememberUse(deps, integrationId, secrets, used);
  return secrets;
}

/** Gitea and Forgejo sign the JSON within a form, of which nothing is read before the signature of the whole holds. */
function otherwiseSigned(headers: IncomingHttpHeaders): { detail: string } | undefined {
  if (forgeOf(headers) === undefined || !isForm(headers['content-type'])) return undefined;
  return { detail: 'Set the content type of the webhook to application/json: forms are signed otherwise.' };
}

function isPrevious(
  clock: Clock,
  secrets: WebhookSecrets | undefined,
  body: Buffer,
  signature: string,
): boolean {
  const previous = secrets?.previous;
  return (
    previous !== undefined && clock() < previous.validUntil && isSignedBy(previous.secret, body, signature)
  );
}

async function findSecrets(
  { secrets }: ReceiveDeps,
  integrationId: string,
): Promise<WebhookSecrets | undefined> {
  return secrets.find(integrationId).catch((error: unknown) => {
    throw new AppError('try_again', {
      detail: isDatabaseAway(error)
        ? 'The database does not answer.'
        : 'The webhook secret cannot be read. Is ENCRYPTION_KEY the one that it was sealed with?',
      retryAfterSeconds: 2,
      cause: error,
    });
  });
}

/** Only information for an admin: the delivery neither waits for it nor fails with it. */
function rememberUse(
  { db, log }: ReceiveDeps,
  integrationId: string,
  secrets: WebhookSecrets,
  used: 'current' | 'previous',
): void {
  secrets.lastUsed = used;
  // One after the other: what is written last must be what came last.
  secrets.useRecorded = secrets.useRecorded
    .then(() => recordSecretUse(db, integrationId, used))
    .catch((error: unknown) =>
      log.warn({ err: error, integrationId }, 'could not record which webhook secret was used'),
    );
}

function contentId(eventName: string, body: Buffer): string {
  return createHash('sha256').update(eventName).update('\n').update(body).digest('hex');
}
