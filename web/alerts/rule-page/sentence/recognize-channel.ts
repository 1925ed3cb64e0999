import type { ChannelType, NotificationRule } from '#contract/alerts/alerts.ts';
import { channelTarget } from '../../channel-texts.ts';
import type { ChannelDraft } from '../../rule-form/rule-draft.ts';

/** What can be typed for a channel: a URL, mail addresses, or the name of a channel that another rule uses. */

export interface SuggestedChannel {
  /** Typed or chosen, it means this channel. */
  text: string;
  type: ChannelType;
  /** The channel of another rule; undefined for an address. */
  channelId: string | undefined;
}

/** Enough to choose from. Typing a URL is quicker than a longer list. */
const mostSuggested = 50;

/** The own address, and the channels that can only be named by their rule, because their URLs are never shown. */
export function suggestedChannels(
  rules: readonly NotificationRule[],
  ownAddress: string | null,
): SuggestedChannel[] {
  const used = rules.flatMap(({ name, channels }) =>
    channels
      .filter(({ type }) => type !== 'owner')
      .map((channel) => ({
        text: `${channelTarget(channel)}, as in “${name}”`,
        type: channel.type,
        channelId: channel.channelId,
      })),
  );
  const own = ownAddress === null ? [] : [{ text: ownAddress, type: 'email', channelId: undefined } as const];
  const all = [...own, ...used];
  return [...new Map(all.map((each) => [each.text, each])).values()].slice(0, mostSuggested);
}

/** The kind of a channel by its URL; undefined if the URL does not say. */
function kindOf(url: URL): ChannelType | undefined {
  const { hostname, pathname } = url;
  const isAt = (domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);
  if (isAt('slack.com') || isAt('slack-gov.com')) return 'slack';
  if (isAt('discord.com') || isAt('discordapp.com')) return pathname.endsWith('/slack') ? 'slack' : 'discord';
  if (['webhook.office.com', 'logic.azure.com', 'api.powerplatform.com'].some(isAt)) return 'teams';
  return undefined;
}

/** The draft after typing. The kind stays when the text does not say which one is meant. */
export function recognizeChannel(
  { type, channelId }: Pick<ChannelDraft, 'type' | 'channelId'>,
  typed: string,
  suggestions: readonly SuggestedChannel[],
): Partial<ChannelDraft> {
  const text = typed.trim();
  if (channelId !== undefined) return valueOf(type, typed);
  const known = suggestions.find((each) => each.text === text);
  if (known?.channelId !== undefined) return { ...valueOf(known.type, text), copyOf: known.channelId };
  return { ...valueOf(typeOf(text, type), typed), copyOf: undefined };
}

function typeOf(text: string, before: ChannelType): ChannelType {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return kindOf(url) ?? (before === 'email' ? 'slack' : before);
  return text.includes('@') && !text.includes('://') ? 'email' : before;
}

/** The draft after a choice of the kind. The text stays. */
export function retypeChannel(channel: ChannelDraft, type: ChannelType): Partial<ChannelDraft> {
  return valueOf(type, channelTextOf(channel));
}

export function channelTextOf({ type, to, url }: Pick<ChannelDraft, 'type' | 'to' | 'url'>): string {
  return type === 'email' ? to : url;
}

function valueOf(type: ChannelType, text: string): Pick<ChannelDraft, 'type' | 'to' | 'url'> {
  return type === 'email' ? { type, to: text, url: '' } : { type, to: '', url: text };
}
