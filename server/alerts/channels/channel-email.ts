import { factsMail } from '#server/mail/facts-mail.ts';
import { mailableName } from '#server/mail/mailable-name.ts';
import type { Mail } from '#server/mail/send-mail.ts';
import type { NotificationContent } from '../notifications/content/notification-content.ts';

/** `notice` tells recipients who are not members why they get the mail. Their mail contains no name that looks like a link. */
export function mailOf(content: NotificationContent, to: readonly string[], notice: string | null): Mail {
  const { title, link } = content;
  const hidesRule = notice !== null && mailableName(content.ruleName) === undefined;
  const facts = content.facts.filter(({ name }) => name !== 'Rule' || !hidesRule);
  return factsMail({ to, title, facts, link, notice });
}
