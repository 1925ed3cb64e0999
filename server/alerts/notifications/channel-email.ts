import { html } from '#server/mail/html.ts';
import type { Mail } from '#server/mail/send-mail.ts';
import type { Message } from './notification-content.ts';

export function mailOf(message: Message, to: readonly string[]): Mail {
  const { title, facts, link } = message;
  const lines = facts.map(({ name, value }) => `${name}: ${value}`);
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><td style="color:#57606a;padding-right:16px">${html(name)}</td><td>${html(value)}</td></tr>`,
  );
  return {
    to: to.join(', '),
    subject: `[Forgewatch] ${title}`,
    text: [title, '', ...lines, ...(link === null ? [] : ['', link]), ''].join('\n'),
    html: [
      `<p><strong>${html(title)}</strong></p>`,
      `<table>${rows.join('')}</table>`,
      ...(link === null ? [] : [`<p><a href="${html(link)}">Open</a></p>`]),
    ].join('\n'),
  };
}
