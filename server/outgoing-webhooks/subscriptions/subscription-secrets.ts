import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { SubscriptionRow } from './subscription-store.ts';

type Column = 'url' | 'secret';

export function sealColumn(
  sealer: Sealer,
  integrationId: string,
  subscriptionId: string,
  column: Column,
  text: string,
): Buffer {
  return sealer.seal(Buffer.from(text), subscriptionContext(integrationId, subscriptionId, column));
}

/** The URL, and the secrets that sign at this time. @throws when a value belongs to another subscription */
export function openSubscription(
  sealer: Sealer,
  integrationId: string,
  row: SubscriptionRow,
  now: number,
): { url: string; secrets: string[] } {
  const open = (sealed: Buffer, column: Column): string =>
    sealer.open(sealed, subscriptionContext(integrationId, row.subscription_id, column)).toString();
  const { sealed_previous_secret: previous, previous_secret_until: until } = row;
  const isInUse = previous !== null && until !== null && until.getTime() > now;
  return {
    url: open(row.sealed_url, 'url'),
    secrets: [open(row.sealed_secret, 'secret'), ...(isInUse ? [open(previous, 'secret')] : [])],
  };
}

/** Binds a sealed value to its subscription. */
export function subscriptionContext(integrationId: string, subscriptionId: string, column: Column): string {
  return `webhook_subscriptions/${integrationId}/${subscriptionId}/${column}`;
}
