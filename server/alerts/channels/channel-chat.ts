import type { NotificationContent } from '../notifications/content/notification-content.ts';

/** Bodies for the incoming webhooks of chats. Names from the forge are escaped: they never become markup, links or mentions. */

const colours = {
  opened: '#d1242f',
  repeated: '#d1242f',
  recovered: '#1a7f37',
  digest: '#0969da',
  test: '#0969da',
} as const;

/** For Slack and compatible chats. All of them show attachments. */
export function slackBody(content: NotificationContent): string {
  const title = slackText(content.title);
  return JSON.stringify({
    text: title,
    mrkdwn: false,
    attachments: [
      {
        fallback: title,
        color: colours[content.kind],
        mrkdwn_in: [],
        ...(content.link === null ? {} : { title: 'Open', title_link: content.link }),
        fields: content.facts.map(({ name, value }) => ({
          title: name,
          value: slackText(value),
          short: value.length < 40,
        })),
      },
    ],
  });
}

/**
 * Slack interprets `&`, `<` and `>`. A word joiner after other special characters prevents mentions, links, emoji, and markup
 * in compatible chats that read Markdown.
 */
function slackText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[@*_~`[\]!]|:(?=[^\d\s])/g, '$&\u2060')
    .replace(bareLink, '$&\u2060');
}

/** Many chats make a link of what begins with it. */
const bareLink = /www(?=[.．。｡])/giu;

/** An Adaptive Card for the incoming webhooks of Teams workflows. Text runs contain no markup. */
export function teamsBody(content: NotificationContent): string {
  const line = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: text.replace(bareLink, '$&\u2060'), ...more }],
  });
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      line(content.title, {
        weight: 'Bolder',
        size: 'Medium',
        color: content.kind === 'opened' || content.kind === 'repeated' ? 'Attention' : 'Good',
      }),
      ...content.facts.map(({ name, value }) => line(`${name}: ${value}`)),
    ],
    actions: content.link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open', url: content.link }],
  };
  return JSON.stringify({
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  });
}

export function discordBody(content: NotificationContent): string {
  return JSON.stringify({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: discordText(content.title, 256),
        color: Number.parseInt(colours[content.kind].slice(1), 16),
        ...(content.link === null ? {} : { url: content.link }),
        // Discord refuses a message with an empty value.
        fields: content.facts
          .filter(({ value }) => value !== '')
          .map(({ name, value }) => ({
            name,
            value: discordText(value, 1024),
            inline: value.length < 40,
          })),
      },
    ],
  });
}

function discordText(text: string, length: number): string {
  const escaped = text.replace(bareLink, '$&\u2060').replace(/[\\*_~`|>#[\]()<@:-]/g, '\\$&');
  if (escaped.length <= length) return escaped;
  // Does not cut inside an escape or a surrogate pair.
  return `${escaped.slice(0, length - 2).replace(/[\\\ud800-\udbff]+$/, '')}…`;
}
