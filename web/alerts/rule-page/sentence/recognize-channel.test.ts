import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel, ChannelType, NotificationRule } from '#contract/alerts/alerts.ts';
import { emptyChannel } from '../../rule-form/rule-draft.ts';
import { channelTextOf, recognizeChannel, retypeChannel, suggestedChannels } from './recognize-channel.ts';

const channel = (type: Channel['type'], to: string[] | null, host: string | null): Channel => ({
  channelId: `${type}-id`,
  type,
  to,
  host,
  signingSecret: null,
});
const rules = [
  {
    name: 'Main',
    channels: [channel('slack', null, 'hooks.slack.com'), channel('email', ['a@example.com'], null)],
  },
] as NotificationRule[];
const suggestions = suggestedChannels(rules, 'me@example.com');

const kinds: [string, ChannelType, ChannelType?][] = [
  ['https://hooks.slack.com/services/T0/B0/x', 'slack', 'email'],
  ['https://hooks.slack-gov.com/services/T0/B0/x', 'slack', 'email'],
  ['https://discord.com/api/webhooks/1/x', 'discord'],
  ['https://discord.com/api/webhooks/1/x/slack', 'slack'],
  ['https://acme.webhook.office.com/webhookb2/x', 'teams'],
  ['https://prod-1.westeurope.logic.azure.com:443/workflows/x', 'teams'],
  ['https://chat.example.com/hooks/x', 'slack', 'email'],
  ['https://chat.example.com/hooks/x', 'webhook', 'webhook'],
  ['https://evil-slack.com/x', 'teams', 'teams'],
  ['https://slack.com.example.com/x', 'webhook', 'webhook'],
  ['team@example.com, ops@example.com', 'email'],
  ['https://user@chat.example.com/x', 'webhook', 'webhook'],
  ['#ci', 'slack'],
  ['', 'discord', 'discord'],
];
for (const [text, type, before = 'slack'] of kinds)
  test(`“${text}” in a field of ${before} is ${type}`, () => {
    const draft = { ...emptyChannel(before), ...recognizeChannel(emptyChannel(before), text, suggestions) };
    assert.deepEqual([draft.type, channelTextOf(draft), draft.copyOf], [type, text, undefined]);
  });

test('the channels of other rules are offered with their rule, after the own address', () => {
  assert.deepEqual(
    suggestions.map(({ text }) => text),
    ['me@example.com', 'Slack or compatible at hooks.slack.com, as in “Main”', 'a@example.com, as in “Main”'],
  );
});

test('a chosen channel of another rule is copied, and typing on ends that', () => {
  const text = suggestions[1]?.text ?? '';
  const chosen = { ...emptyChannel('email'), ...recognizeChannel(emptyChannel('email'), text, suggestions) };
  assert.deepEqual([chosen.type, chosen.copyOf, channelTextOf(chosen)], ['slack', 'slack-id', text]);
  const typed = {
    ...chosen,
    ...recognizeChannel(chosen, 'https://discord.com/api/webhooks/1/x', suggestions),
  };
  assert.deepEqual([typed.type, typed.copyOf], ['discord', undefined]);
});

test('a stored channel keeps its kind whatever is typed', () => {
  const stored = { ...emptyChannel('webhook'), channelId: 'c' };
  assert.equal(recognizeChannel(stored, 'https://hooks.slack.com/x', suggestions).type, 'webhook');
});

test('a chosen kind keeps the text', () => {
  const draft = { ...emptyChannel('slack'), url: 'https://chat.example.com/x' };
  const changed = { ...draft, ...retypeChannel(draft, 'webhook') };
  assert.deepEqual([changed.type, channelTextOf(changed)], ['webhook', 'https://chat.example.com/x']);
});
