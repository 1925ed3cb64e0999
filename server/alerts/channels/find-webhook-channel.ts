import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { findChannel } from '#server/alerts/rules/rule-store.ts';
import { openChannel } from './channel-secrets.ts';

/** The URL and the signing secret of a channel. Undefined when it is gone or is no signed webhook. */
export async function findWebhookChannel(
  sealer: Sealer,
  tx: Tx,
  integrationId: string,
  channelId: string,
): Promise<{ url: string; secrets: string[] } | undefined> {
  const channel = await findChannel(tx, integrationId, channelId);
  if (channel?.type !== 'webhook') return undefined;
  const { url, secret } = openChannel(sealer, integrationId, channel);
  return { url, secrets: secret === undefined ? [] : [secret] };
}
