import { html } from '#server/mail/html.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import type { Mail } from '#server/mail/send-mail.ts';
import type { NotificationContent } from '../notifications/notification-content.ts';

/** `notice` tells recipients who are not members why they get the mail. Their mail contains no name that looks like a link. */
export function mailOf(content: NotificationContent, to: readonly string[], notice: string | null): Mail {
  const { title, link } = content;
  const hidesRule = notice !== null && mailableName(content.ruleName) === undefined;
  const facts = content.facts
    .filter(({ name }) => name !== 'Rule' || !hidesRule)
    .map(({ name, value, isQuote }) => ({ name, value: isQuote ? unlinked(value) : value }));
  const lines = facts.map(({ name, value }) => `${name}: ${value}`);
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><td style="color:#57606a;padding-right:16px">${html(name)}</td><td>${html(value)}</td></tr>`,
  );
  return {
    to: to.join(', '),
    subject: `[Forgewatch] ${title}`,
    text: [
      title,
      '',
      ...lines,
      ...(link === null ? [] : ['', link]),
      ...(notice === null ? [] : ['', notice]),
      '',
    ].join('\n'),
    html: [
      `<p><strong>${html(title)}</strong></p>`,
      `<table>${rows.join('')}</table>`,
      ...(link === null ? [] : [`<p><a href="${html(link)}">Open</a></p>`]),
      ...(notice === null ? [] : [`<p>${html(notice)}</p>`]),
    ].join('\n'),
  };
}

/**
 * Anybody who opens a pull request can print to a log. A word joiner prevents that mail programs turn addresses and telephone numbers
 * in it into links.
 */
function unlinked(text: string): string {
  return text.replace(/[.:@/]|\d(?=\d)/g, '$&\u2060');
}
