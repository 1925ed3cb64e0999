import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import { isUuid } from '#platform/database/scope.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { isSameSecrets, type SecretCache } from '#server/integrations/secrets/secret-cache.ts';
import type { WebhookSecrets } from '#server/integrations/secrets/webhook-secret.ts';
import { hasSignatureForm, isSignedBy } from './signature.ts';

export interface SignedWebhook {
  integrationId: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface CheckedSignature {
  /** Undefined when the integration does not exist. */
  secrets: WebhookSecrets | undefined;
  /** Undefined when the signature does not match. */
  used: 'current' | 'previous' | undefined;
}

/** Used when the integration does not exist, to do the same work. */
const placeholderSecret = randomBytes(32);

/**
 * Whether the forge signed these bytes. If the cached secret does not match, the secret is read from the database, so a
 * rotated secret works at once. A wrong signature costs one query and the same digests whether or not the integration exists.
 * The response time therefore does not reveal which ids exist.
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

/** @throws AppError `try_again` when the database does not answer, or the secret cannot be opened */
async function readOrTryAgain(
  reading: Promise<WebhookSecrets | undefined>,
): Promise<WebhookSecrets | undefined> {
  return reading.catch((error: unknown) => {
    throw new AppError('try_again', {
      detail: isDatabaseAway(error)
        ? 'The database does not answer.'
        : 'The webhook secret cannot be read, for example because ENCRYPTION_KEY is another one. The log says why.',
      retryAfterSeconds: 2,
      cause: error,
    });
  });
}

const noSignature = `sha256=${'0'.repeat(64)}`;

/** Computes two digests unless the first one matches. */
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
