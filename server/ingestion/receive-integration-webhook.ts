import type { IncomingHttpHeaders } from 'node:http';
import type { UnqueuedReason } from '#contract/deliveries/deliveries.ts';
import type { DiskGuard } from '#platform/database/disk-guard.ts';
import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { SecretCache } from '#server/integrations/secrets/secret-cache.ts';
import type { WebhookSecrets } from '#server/integrations/secrets/webhook-secret.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import type { Amount } from '#server/quotas/tallies.ts';
import {
  proofHeader,
  readSampleDelivery,
  samplePrefix,
  type SampleProofs,
} from '#server/sample-data/sample-delivery.ts';
import { adaptedEvents, adapterOf, forgeOf } from './other-forges/adapt-event.ts';
import { deliveryHeaders, supportedEvents } from './event-types.ts';
import type { EnqueueEvent } from './enqueue-event.ts';
import { checkSignature } from './signatures/check-signature.ts';
import { prepareWebhook, type PreparedWebhook, type VerifiedWebhook } from './prepare-webhook.ts';
import { isForm } from './webhook-body.ts';

/** Headers of GitHub, Gitea and Forgejo about event, delivery and webhook. Never a signature or a credential. */
const kept =
  /^(content-type|user-agent|x-[a-z]+-(event|event-type|delivery|hook-id|hook-installation-target-(id|type)))$/;
const longest = 200;
const most = 16;

/** The headers that the page of a delivery shows. */
function selectHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const found = Object.entries(headers).filter(
    (entry): entry is [string, string] => kept.test(entry[0]) && typeof entry[1] === 'string',
  );
  return Object.fromEntries(found.slice(0, most).map(([name, value]) => [name, value.slice(0, longest)]));
}

export interface ReceiveDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock'> {
  secrets: SecretCache;
  enqueue: EnqueueEvent;
  quotas: Quotas;
  disk: Pick<DiskGuard, 'requireSpace'>;
  sampleProofs: Pick<SampleProofs, 'isProven'>;
  eventHeaders: readonly string[];
  /** Counts the outcome of each delivery for the metrics. */
  count(outcome: WebhookOutcome): void;
  /** Called for each delivery that is answered without being queued. Members see it on the deliveries page. */
  recordUnqueued(delivery: UnqueuedDelivery): void;
}

/** The sender's claims about a delivery. They are not verified when the signature is wrong or was not checked. */
export interface UnqueuedDelivery {
  /** Undefined when the integration does not exist. */
  integrationId: string | undefined;
  reason: UnqueuedReason;
  event: string | undefined;
  deliveryId: string | undefined;
  /** IP address of the client. */
  address: string;
  receivedAt: Date;
}

export const webhookOutcomes = [
  'queued',
  'duplicate',
  'ping',
  'not_subscribed',
  'refused',
  'quota_exceeded',
  'storage_full',
  'try_again',
] as const;
export type WebhookOutcome = (typeof webhookOutcomes)[number];

interface WebhookHead {
  integrationId: string;
  headers: IncomingHttpHeaders;
  /** IP address of the client. */
  address: string | undefined;
}

export interface ReceivedWebhook extends WebhookHead {
  body: Buffer;
}

/**
 * Checks in this order: signature over the received bytes, event type, ping, disk, quota, JSON, subscription, queue
 * (docs/architecture/ingestion.md). Adapts events of Gitea and Forgejo to GitHub's. Resolves for the answer 200.
 * @throws AppError for every other answer.
 */
export async function receiveIntegrationWebhook(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
): Promise<WebhookOutcome> {
  const { eventName, deliveryId } = deliveryHeaders(webhook.headers, deps.eventHeaders);
  const secrets = await verify(deps, webhook, deliveryId);
  const delivery = {
    eventName: eventName ?? '',
    forge: forgeOf(webhook.headers),
    deliveryId,
    receivedAt: new Date(deps.clock()),
  };
  const eventType = adapterOf(delivery)?.eventType ?? supportedEvents.find((event) => event === eventName);
  if (eventType === undefined) {
    note(deps, webhook, 'unsupported_event');
    const known = [...supportedEvents, ...adaptedEvents];
    throw new AppError('unsupported_event', { detail: `Supported events: ${known.join(', ')}.` });
  }
  if (eventType === 'ping') {
    note(deps, webhook, 'ping');
    return 'ping';
  }

  if (!secrets.events.has(eventType)) {
    await prepare(deps, webhook, delivery);
    // Sample data that is not stored leaves nothing to remove.
    if (deliveryId?.startsWith(samplePrefix) !== true) note(deps, webhook, 'not_subscribed');
    return 'not_subscribed';
  }
  const { integrationId } = webhook;
  // Its bytes are gone once a thread has prepared it.
  const amount = { bytes: webhook.body.length, events: 1 };
  const counting = requirePlace(deps, webhook, amount);
  if (counting !== undefined) await counting;
  try {
    const { verdict, payload, names, ...prepared } = await prepare(deps, webhook, delivery);
    return await deps.enqueue({
      integrationId,
      eventType,
      deliveryId: prepared.deliveryId,
      receivedAt: delivery.receivedAt,
      payload,
      ...(names && { names }),
      isTooComplex: verdict !== 'ok',
      headers: selectHeaders(webhook.headers),
    });
  } catch (error) {
    deps.quotas.correct(integrationId, { bytes: -amount.bytes, events: -amount.events });
    throw error;
  }
}

/**
 * A repeated delivery counts too: its body may be stored before it is known to be a duplicate. Mostly without a promise, which would
 * measurably reduce the number of webhooks per second. @throws AppError
 */
function requirePlace(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  amount: Amount,
): Promise<void> | undefined {
  const refuse = (error: unknown): never => {
    const code = error instanceof AppError ? error.code : undefined;
    if (code === 'quota_exceeded' || code === 'storage_full') note(deps, webhook, code);
    throw error;
  };
  try {
    deps.disk.requireSpace();
    return deps.quotas.take(webhook.integrationId, amount)?.catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

/** @throws AppError `invalid_json` */
async function prepare(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  delivery: VerifiedWebhook['delivery'],
): Promise<PreparedWebhook> {
  const { body, headers, integrationId } = webhook;
  const verified = { body, isForm: isForm(headers['content-type']), delivery };
  const prepared = await prepareWebhook(verified, integrationId);
  if (prepared.verdict !== 'invalid') return prepared;
  note(deps, webhook, 'invalid_json');
  throw new AppError('invalid_json', { detail: 'Send JSON, or a form whose field "payload" holds JSON.' });
}

/** Records a body that was too large to read. Never rejects: the answer was already sent. */
export async function recordTooLarge(deps: ReceiveDeps, head: WebhookHead): Promise<void> {
  const { integrationId } = head;
  try {
    const secrets = isUuid(integrationId)
      ? await (deps.secrets.kept(integrationId) ?? deps.secrets.read(integrationId))
      : undefined;
    note(deps, head, 'payload_too_large', secrets !== undefined);
  } catch (error) {
    deps.log.warn({ err: error, integrationId }, 'recording of an oversized webhook failed');
  }
}

/** Does the same work for an integration that does not exist, so the response time does not reveal which ids exist. */
function note(
  { recordUnqueued, eventHeaders, clock }: ReceiveDeps,
  { integrationId, headers, address }: WebhookHead,
  reason: UnqueuedReason,
  isKnown = true,
): void {
  // A client that has closed its connection has none.
  if (address === undefined) return;
  const { eventName, deliveryId } = deliveryHeaders(headers, eventHeaders);
  recordUnqueued({
    integrationId: isKnown ? integrationId : undefined,
    reason,
    event: eventName,
    deliveryId,
    address,
    receivedAt: new Date(clock()),
  });
}

async function verify(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  deliveryId: string | undefined,
): Promise<WebhookSecrets> {
  const { secrets, used } = await checkSignature(deps, webhook);
  if (secrets === undefined || used === undefined) {
    note(deps, webhook, 'invalid_signature', secrets !== undefined);
    throw new AppError('invalid_signature', { detail: signatureHint(webhook.headers) });
  }
  if (deliveryId?.startsWith(samplePrefix) === true) await verifySample(deps, webhook, deliveryId, secrets);
  else deps.secrets.noteUse(webhook.integrationId, secrets, used);
  return secrets;
}

/** Nobody but this installation can mark a delivery as sample data. @throws AppError */
async function verifySample(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  deliveryId: string,
  { sampleGeneration }: WebhookSecrets,
): Promise<void> {
  const { integrationId, headers, body } = webhook;
  const sample = readSampleDelivery(deliveryId);
  if (
    sample === undefined ||
    !deps.sampleProofs.isProven({ integrationId, deliveryId, body }, headers[proofHeader])
  ) {
    note(deps, webhook, 'invalid_signature');
    throw new AppError('invalid_signature', {
      detail: `Delivery ids that begin with "${samplePrefix}" are reserved for sample data.`,
    });
  }
  if (sample.generation === sampleGeneration) return;
  // The cached one may be older than the request to send.
  const current = await deps.secrets.read(integrationId);
  if (sample.generation !== current?.sampleGeneration)
    throw new AppError('conflict', { detail: 'This sample data was removed.' });
}

/** Gitea and Forgejo sign the JSON inside a form. Forgewatch reads nothing before the signature of the whole body matches. */
function signatureHint(headers: IncomingHttpHeaders): string {
  return forgeOf(headers) === undefined || !isForm(headers['content-type'])
    ? 'X-Hub-Signature-256 must be the signature of the body with the secret of the integration.'
    : 'Set the content type of the webhook to application/json: forms are signed otherwise.';
}
