import { createHmac, randomBytes } from 'node:crypto';

/** Signatures after standardwebhooks.com, so receivers can verify them with any of its libraries. */

const prefix = 'whsec_';

export function makeSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * The signature covers id, time and body, so a receiver detects changes and late repetitions. While a secret is replaced, both
 * secrets sign: a receiver accepts any signature that it can verify.
 */
export function signedHeaders(
  secrets: readonly string[],
  webhookId: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    const signature = createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
