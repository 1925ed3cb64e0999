import { randomBytes } from 'node:crypto';
import type { Database, Tx } from '#platform/database/database.ts';
import type { QueuedEvent } from '#contract/integrations/integrations.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import {
  deleteEndedSecret,
  findWebhookSecret,
  replaceWebhookSecret,
  updateLastSecretUsed,
  type WebhookSecretRow,
} from '../store.ts';

/** The secrets and settings for webhook verification. */
export interface WebhookSecrets {
  current: Buffer;
  /** During a rotation, until `validUntil` in milliseconds since the epoch. */
  previous: { secret: Buffer; validUntil: number } | undefined;
  lastUsed: 'current' | 'previous' | null;
  events: ReadonlySet<QueuedEvent>;
  /** The generation of sample data that is accepted. Null when there is none, or while it is being removed. */
  sampleGeneration: number | null;
}

/** A delivery waits for its secret, and its forge for the answer. */
const readTimeoutMs = 4_000;

export type SecretDeps = Pick<SharedDeps, 'db' | 'log' | 'clock' | 'sealer'>;

/** 32 random bytes in hex: impossible to guess, and easy to paste into a form of the forge. */
export function makeWebhookSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Binds a sealed secret to its integration. */
export function secretContext(integrationId: string): string {
  return `integrations/${integrationId}/webhook_secret`;
}

/** Reads the secrets with only this integration in scope. Undefined when it does not exist. */
export async function readWebhookSecrets(
  deps: SecretDeps,
  integrationId: string,
): Promise<WebhookSecrets | undefined> {
  const row = await deps.db.withScope({ integrationId }, (tx) => findWebhookSecret(tx, integrationId), {
    timeoutMs: readTimeoutMs,
  });
  return row && openSecrets(deps, integrationId, row);
}

/** The current secret in plain text. Undefined when the integration does not exist. */
export async function readCurrentSecret(
  deps: SecretDeps,
  integrationId: string,
): Promise<string | undefined> {
  return (await readWebhookSecrets(deps, integrationId))?.current.toString();
}

/**
 * Replaces the secret. Needs the integration in scope. The old secret stays valid for `graceMs`, so that the secret can be changed
 * at the forge without losing a delivery. 0 revokes it at once.
 */
export async function replaceSecret(
  { sealer, clock }: Pick<SecretDeps, 'sealer' | 'clock'>,
  tx: Tx,
  integrationId: string,
  graceMs: number,
): Promise<{ webhookSecret: string; previousSecretValidUntil: Date | null }> {
  const webhookSecret = makeWebhookSecret();
  const sealed = sealer.seal(Buffer.from(webhookSecret), secretContext(integrationId));
  const validUntil = graceMs > 0 ? new Date(clock() + graceMs) : null;
  await replaceWebhookSecret(tx, integrationId, sealed, validUntil);
  return { webhookSecret, previousSecretValidUntil: validUntil };
}

/** Records which secret the forge uses, so that an admin sees when the old one is unused. */
export async function recordSecretUse(
  db: Database,
  integrationId: string,
  used: 'current' | 'previous',
): Promise<void> {
  await db.withScope({ integrationId }, (tx) => updateLastSecretUsed(tx, integrationId, used));
}

/** Deletes an expired previous secret. Returns the number of deleted secrets. */
export function forgetEndedSecret(tx: Tx, integrationId: string): Promise<number> {
  return deleteEndedSecret(tx, integrationId);
}

function openSecrets(deps: SecretDeps, integrationId: string, row: WebhookSecretRow): WebhookSecrets {
  return {
    current: deps.sealer.open(row.webhook_secret, secretContext(integrationId)),
    previous: openPrevious(deps, integrationId, row),
    lastUsed: row.last_secret_used,
    events: new Set(row.webhook_events),
    sampleGeneration: row.sample_generation,
  };
}

/** The key of the previous secret may be lost. This must not prevent verification with the current one. */
function openPrevious(
  { sealer, clock, log }: SecretDeps,
  integrationId: string,
  { previous_webhook_secret: sealed, previous_secret_valid_until: until }: WebhookSecretRow,
): WebhookSecrets['previous'] {
  const validUntil = until?.getTime() ?? 0;
  if (sealed === null || validUntil <= clock()) return undefined;
  try {
    return { secret: sealer.open(sealed, secretContext(integrationId)), validUntil };
  } catch (error) {
    log.warn({ err: error, integrationId }, 'previous webhook secret not readable, ignored');
    return undefined;
  }
}
