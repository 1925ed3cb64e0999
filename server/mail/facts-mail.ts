import { html } from './html.ts';
import type { Mail } from './send-mail.ts';

export interface Fact {
  name: string;
  value: string;
  /** The value quotes the log of a job. */
  isQuote?: true;
}

export interface FactsMail {
  to: readonly string[];
  title: string;
  facts: readonly Fact[];
  link: string | null;
  /** Why the recipients get the mail. */
  notice: string | null;
}

/** A mail as plain text and as escaped HTML. */
export function factsMail({ to, title, facts: raw, link, notice }: FactsMail): Mail {
  const facts = raw.map(({ name, value, isQuote }) => ({ name, value: isQuote ? unlinked(value) : value }));
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
export function unlinked(text: string): string {
  return text.replace(/[.:@/]|\d(?=\d)/g, '$&\u2060');
}
