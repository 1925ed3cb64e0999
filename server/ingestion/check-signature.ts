import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { isSameSecrets, type SecretCache } from '#server/integrations/secret-cache.ts';
import type { WebhookSecrets } from '#server/integrations/webhook-secret.ts';
import { hasSignatureForm, isSignedBy } from './signature.ts';

export interface SignedWebhook {
  integrationId: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface CheckedSignature {
  /** Undefined when there is no such integration. */
  secrets: WebhookSecrets | undefined;
  /** Undefined when the signature does not hold. */
  used: 'current' | 'previous' | undefined;
}

/** Stands in for a secret that does not exist, so that the work is the same. */
const placeholderSecret = randomBytes(32);

/**
 * Whether the forge signed these bytes. A signature that a copy of the secret in memory does not confirm is checked with
 * the database: a secret replaced a moment ago counts at once, and a wrong signature costs one query and the same
 * digests, whether the integration exists or not. Otherwise the time of the answer would tell.
 * @throws AppError `try_again`
 */
export async function checkSignature(
  { secrets: cache, clock }: { secrets: SecretCache; clock: Clock },
  { integrationId, headers, body }: SignedWebhook,
): Promise<CheckedSignature> {
  const signature = headers['x-hub-signature-256'];
  const check = async (secrets: WebhookSecrets | undefined): Promise<CheckedSignature> => {
    const isWellFormed = hasSignatureForm(signature);
    const used = await usedSecret(secrets, body, isWellFormed ? signature : noSignature, clock());
    return { secrets, used: isWellFormed ? used : undefined };
  };
  if (!isUuid(integrationId)) return check(undefined);
  const reading = cache.kept(integrationId);
  const kept = reading && (await check(await readOrTryAgain(reading)));
  if (kept?.used !== undefined) return kept;
  const secrets = await readOrTryAgain(cache.read(integrationId));
  return kept !== undefined && isSameSecrets(kept.secrets, secrets) ? kept : check(secrets);
}

/** @throws AppError `try_again` when the database does not answer, or with something that cannot be opened */
async function readOrTryAgain(
  reading: Promise<WebhookSecrets | undefined>,
): Promise<WebhookSecrets | undefined> {
  return reading.catch((error: unknown) => {
    throw new AppError('try_again', {
      detail: isDatabaseAway(error)
        ? 'The database does not answer.'
        : 'The webhook secret cannot be read. Is ENCRYPTION_KEY the one that it was sealed with?',
      retryAfterSeconds: 2,
      cause: error,
    });
  });
}

const noSignature = `sha256=${'0'.repeat(64)}`;

/** Two digests, unless the first one fits. */
async function usedSecret(
  secrets: WebhookSecrets | undefined,
  body: Buffer,
  signature: string,
  now: number,
): Promise<CheckedSignature['used']> {
  const isCurrent = await isSignedBy(secrets?.current ?? placeholderSecret, body, signature);
  if (isCurrent && secrets !== undefined) return 'current';
  const previous = secrets?.previous && now < secrets.previous.validUntil ? secrets.previous : undefined;
  const isPrevious = await isSignedBy(previous?.secret ?? placeholderSecret, body, signature);
  return isPrevious && previous !== undefined ? 'previous' : undefined;
}
