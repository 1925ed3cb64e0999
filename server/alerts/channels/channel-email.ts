import { factsMail, unlinked } from '#server/mail/facts-mail.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import type { Mail } from '#server/mail/send-mail.ts';
import type { NotificationContent } from '../notifications/content/notification-content.ts';

/** `notice` tells recipients who are not members why they get the mail. Nothing in their mail becomes a link, except `link`. */
export function mailOf(content: NotificationContent, to: readonly string[], notice: string | null): Mail {
  const { title, link } = content;
  if (notice === null) return factsMail({ to, title, facts: content.facts, link, notice });
  const hidesRule = mailableName(content.ruleName) === undefined;
  const facts = content.facts
    .filter(({ name }) => name !== 'Rule' || !hidesRule)
    .map((fact) => ({ ...fact, isQuote: true as const }));
  return factsMail({ to, title: unlinked(title), facts, link, notice });
}
