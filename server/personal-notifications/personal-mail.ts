import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import { reasonFacts } from '#server/alerts/notifications/content/reason-facts.ts';
import { capped } from '#server/alerts/notifications/content/texts.ts';
import type { NotifiedReason } from '#contract/alerts/incident-payloads.ts';
import { factsMail } from '#server/mail/facts-mail.ts';
import type { Mail } from '#server/mail/send-mail.ts';

export interface PersonalMail {
  to: string;
  isGreen: boolean;
  run: {
    integrationId: string;
    runId: number;
    repository: string;
    workflow: string | null;
    branch: string | null;
    number: string | null;
    title: string | null;
  };
  reason: NotifiedReason | null;
  unsubscribeUrl: string;
  publicUrl: string;
}

/** What happened, for the mail and the event log. */
export function titleOf({ isGreen, run }: Pick<PersonalMail, 'isGreen' | 'run'>): string {
  const place = placeText(run);
  if (isGreen) return `${place} is green again`;
  return run.number === null ? `${place}: your run failed` : `${place}: your run #${run.number} failed`;
}

/** With the headers of RFC 8058, so that mail programs offer a button that stops these mails. */
export function personalMail(mail: PersonalMail): Mail {
  const { to, run, reason, unsubscribeUrl, publicUrl } = mail;
  const facts = [
    ...(run.title === null ? [] : [{ name: 'Run', value: capped(run.title, 200) }]),
    ...reasonFacts(reason, { jobId: null }),
  ];
  const link = `${publicUrl}/integrations/${run.integrationId}/runs/${run.runId}`;
  const notice = `You get this mail because your account on Forgewatch asks for mails about runs that you start. To stop them: ${unsubscribeUrl}`;
  return {
    ...factsMail({ to: [to], title: titleOf(mail), facts, link, notice }),
    headers: {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
