import { html } from './html.ts';
import { unlinked } from './mailable-name.ts';
import type { Mail } from './send-mail.ts';

export interface Fact {
  name: string;
  value: string;
  /** The value is a time of Forgewatch, and no text of others. */
  isTime?: true;
}

export interface FactsMail {
  to: readonly string[];
  title: string;
  facts: readonly Fact[];
  link: string | null;
  /** Why the recipients get the mail. */
  notice: string | null;
}

/** A mail as plain text and as escaped HTML. Nothing in it becomes a link, except `link` and what is in `notice`. */
export function factsMail({ to, title: subject, facts: raw, link, notice }: FactsMail): Mail {
  const title = unlinked(subject);
  const facts = raw.map(({ name, value, isTime }) => ({ name, value: isTime ? value : unlinked(value) }));
  const lines = facts.map(({ name, value }) => `${name}: ${value}`);
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><td style="color:#57606a;padding-right:16px">${html(name)}</td><td>${html(value)}</td></tr>`,
  );
  return {
    to: to.join(', '),
    subject: `[Forgewatch] ${subject}`,
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
