import type { ChannelInput } from '#contract/alerts/alerts.ts';
import { invalidField, type AppError } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { randomUUID } from 'node:crypto';
import { makeSigningSecret } from '#server/outgoing-webhooks/signing.ts';
import type { ChannelRow } from '#server/alerts/rules/rule-store.ts';

/** A channel to store, and its new secret, which is shown only once. */
export interface SealedChannel {
  row: ChannelRow;
  newSecret: string | null;
}

/**
 * Encrypts the entered URL and secret, because they give access to the channel. Keeps the stored values of omitted fields.
 * @throws AppError `invalid_request` naming the field
 */
export function sealChannel(
  sealer: Sealer,
  refusal: (url: string) => string | undefined,
  place: { integrationId: string; ruleId: string; index: number },
  input: ChannelInput,
  stored: ChannelRow | undefined,
): SealedChannel {
  const invalid = (field: string, message: string): AppError =>
    invalidField(`channels.${place.index}.${field}`, message);
  if (input.channelId !== undefined && stored === undefined)
    throw invalid('channelId', 'is not a channel of this rule; omit it to add a channel');
  if (stored !== undefined && stored.type !== input.type)
    throw invalid('type', 'cannot be changed; add a channel and remove this one');
  const channelId = stored?.channel_id ?? randomUUID();
  const base = { channel_id: channelId, rule_id: place.ruleId, type: input.type };
  const unsealed = { sealed_url: null, sealed_secret: null };
  if (input.type === 'owner') {
    if (input.url !== undefined || input.to !== undefined)
      throw invalid(
        input.url === undefined ? 'to' : 'url',
        'is not allowed: the owner of the workflow gets the mail',
      );
    return { row: { ...base, recipients: null, target: 'the owner', ...unsealed }, newSecret: null };
  }
  if (input.type === 'email') {
    const recipients = input.to ?? stored?.recipients;
    if (!recipients) throw invalid('to', 'is required: enter at least one address');
    if (input.url !== undefined) throw invalid('url', 'is not allowed for email; enter addresses in "to"');
    const target = recipients.join(', ');
    return { row: { ...base, recipients, target, ...unsealed }, newSecret: null };
  }
  if (input.to !== undefined) throw invalid('to', 'is only allowed for email; enter the URL in "url"');
  const problem = input.url === undefined ? undefined : refusal(input.url);
  if (problem !== undefined) throw invalid('url', problem);
  if (input.url === undefined && !stored?.sealed_url) throw invalid('url', 'is required');
  const seal = (text: string, column: string): Buffer =>
    sealer.seal(Buffer.from(text), channelContext(place.integrationId, channelId, column));
  const needsSecret = input.type === 'webhook' && (!stored?.sealed_secret || input.renewSecret === true);
  const newSecret = needsSecret ? makeSigningSecret() : null;
  return {
    row: {
      ...base,
      recipients: null,
      target: input.url === undefined ? (stored?.target ?? '') : new URL(input.url).host,
      sealed_url: input.url === undefined ? (stored?.sealed_url ?? null) : seal(input.url, 'url'),
      sealed_secret: newSecret === null ? (stored?.sealed_secret ?? null) : seal(newSecret, 'secret'),
    },
    newSecret,
  };
}

/** @throws if the stored values belong to another integration or channel, or their key is not configured */
export function openChannel(
  sealer: Sealer,
  integrationId: string,
  { channel_id, sealed_url, sealed_secret }: ChannelRow,
): { url: string; secret: string | undefined } {
  const open = (sealed: Buffer, column: string): string =>
    sealer.open(sealed, channelContext(integrationId, channel_id, column)).toString();
  return {
    url: sealed_url === null ? '' : open(sealed_url, 'url'),
    secret: sealed_secret === null ? undefined : open(sealed_secret, 'secret'),
  };
}

/** Binds a sealed value to its channel. */
export function channelContext(integrationId: string, channelId: string, column: string): string {
  return `notification_channels/${integrationId}/${channelId}/${column}`;
}
