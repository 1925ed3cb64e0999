import { channelTypes, type Channel, type ChannelType } from '#contract/alerts/alerts.ts';

export const channelNames: Record<ChannelType, string> = {
  email: 'E-mail',
  owner: 'Owner of the workflow',
  slack: 'Slack or compatible',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  webhook: 'Signed webhook',
};

export const channelOptions = channelTypes.map((value) => ({ value, label: channelNames[value] }));

/** The target of a channel. For webhooks only the host is known. */
export function channelTarget({ type, to, host }: Pick<Channel, 'type' | 'to' | 'host'>): string {
  if (type === 'owner') return 'the owner of the workflow';
  return type === 'email' ? (to ?? []).join(', ') : `${channelNames[type]} at ${host ?? 'an unknown host'}`;
}
