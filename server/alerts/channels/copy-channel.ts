import type { ChannelInput } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { findChannel } from '#server/alerts/rules/rule-store.ts';
import { openChannel } from './channel-secrets.ts';

/**
 * Replaces `copyOf` by the URL or the addresses of that channel, so that nobody has to know a URL to use its channel in another rule. A
 * signed webhook gets a secret of its own. @throws AppError `invalid_request` naming the field
 */
export async function copyChannel(
  tx: Tx,
  sealer: Sealer,
  { integrationId, index }: { integrationId: string; index: number },
  { copyOf, ...input }: ChannelInput,
): Promise<ChannelInput> {
  if (copyOf === undefined) return input;
  const field = `channels.${index}.copyOf`;
  if (input.channelId !== undefined || input.url !== undefined || input.to !== undefined)
    throw invalidField(field, 'is only for a new channel without a URL and addresses');
  const row = await findChannel(tx, integrationId, copyOf);
  if (row === undefined) throw invalidField(field, 'is not a channel of this integration');
  if (row.type !== input.type) throw invalidField(field, `is of the type ${row.type}`);
  if (row.type === 'owner') return input;
  if (row.recipients !== null) return { ...input, to: row.recipients };
  return { ...input, url: openChannel(sealer, integrationId, row).url };
}
