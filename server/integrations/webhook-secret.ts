import { randomBytes } from 'node:crypto';
import type { Database, Tx } from '#platform/database/database.ts';
import type { QueuedEvent } from '#contract/integrations.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import {
  deleteEndedSecret,
  findWebhookSecret,
  replaceWebhookSecret,
  updateLastSecretUsed,
  type WebhookSecretRow,
} from './store.ts';

/** What webhook verification needs to know of one integration. */
export interface WebhookSecrets {
  current: Buffer;
  /** During a rotation, until `validUntil` in milliseconds since the epoch. */
  previous: { secret: Buffer; validUntil: number } | undefined;
  lastUsed: 'current' | 'previous' | null;
  events: ReadonlySet<QueuedEvent>;
}

export interface SecretDeps {
  db: Database;
  sealer: Sealer;
  clock: Clock;
  log: Log;
}

/** 32 random bytes in hex: more than any guess, and easy to paste into a forge's form. */
export function makeWebhookSecret(): string {
  return randomBytes(32).toString('hex');
}

/** What a sealed secret is bound to, so that it opens for no other integration. */
export function secretContext(integrationId: string): string {
  return `integrations/${integrationId}/webhook_secret`;
}

/** Reads the secrets under row-level security scoped to this one integration; undefined when there is none. */
export async function readWebhookSecrets(
  deps: SecretDeps,
  integrationId: string,
): Promise<WebhookSecrets | undefined> {
  const row = await deps.db.withScope({ integrationId }, (tx) => findWebhookSecret(tx, integrationId));
  return row && openSecrets(deps, integrationId, row);
}

/** What the forge signs with, in clear; undefined when there is no such integration. */
export async function readCurrentSecret(
  deps: SecretDeps,
  integrationId: string,
): Promise<string | undefined> {
  return (await readWebhookSecrets(deps, integrationId))?.current.toString();
}

/**
 * Gives the integration a new secret, inside a transaction with it in scope. The old one goes on verifying for `graceMs`,
 * so that the forge's side can be changed without losing a delivery; 0 ends it at once.
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

/** Remembers which secret the forge signs with, so that an admin sees when the old one is no longer used. */
export async function recordSecretUse(
  db: Database,
  integrationId: string,
  used: 'current' | 'previous',
): Promise<void> {
  await db.withScope({ integrationId }, (tx) => updateLastSecretUsed(tx, integrationId, used));
}

/** Deletes a previous secret whose time is over: it verifies nothing any more. Returns how many there were. */
export function forgetEndedSecret(db: Database, integrationId: string): Promise<number> {
  return db.withScope({ integrationId }, (tx) => deleteEndedSecret(tx, integrationId));
}

function openSecrets(deps: SecretDeps, integrationId: string, row: WebhookSecretRow): WebhookSecrets {
  return {
    current: deps.sealer.open(row.webhook_secret, secretContext(integrationId)),
    previous: openPrevious(deps, integrationId, row),
    lastUsed: row.last_secret_used,
    events: new Set(row.webhook_events),
  };
}

/** The key of one that has ended may be gone, and that of one that has not must not keep the current one from verifying. */
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
    log.warn(
      { err: error, integrationId },
      'the previous webhook secret cannot be read, and verifies nothing',
    );
    return undefined;
  }
}
