import { html } from '#server/mail/html.ts';
import type { SendMail } from '#server/mail/send-mail.ts';
import { alarmWebhookTimeoutMs } from './policy.ts';

/** Numbers of dead letters. */
export interface DeadLetterAlarm {
  count: number;
  byReason: Record<string, number>;
  byGroup: Record<string, number>;
}

/** A way to reach the operator of the service, named by its setting. */
export interface OperatorChannel {
  setting: string;
  notify(alarm: DeadLetterAlarm): Promise<void>;
}

/** The configured channels. Without any, only the log and the metrics report dead letters. */
export function operatorChannels({
  alarmWebhookUrl,
  alarmEmail,
  publicUrl,
  sendMail,
}: {
  alarmWebhookUrl: string | undefined;
  alarmEmail: string | undefined;
  publicUrl: string;
  sendMail: SendMail;
}): OperatorChannel[] {
  return [
    ...(alarmWebhookUrl === undefined
      ? []
      : [{ setting: 'ALARM_WEBHOOK_URL', notify: (alarm: DeadLetterAlarm) => post(alarmWebhookUrl, alarm) }]),
    ...(alarmEmail === undefined
      ? []
      : [
          {
            setting: 'ALARM_EMAIL',
            notify: (alarm: DeadLetterAlarm) => sendMail({ to: alarmEmail, ...describe(alarm, publicUrl) }),
          },
        ]),
  ];
}

/** Follows no redirect: an alarm goes to the configured address only. */
async function post(url: string, alarm: DeadLetterAlarm): Promise<void> {
  // Imported on first use to keep the start fast.
  const { request } = await import('undici');
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'dead_letters', ...alarm }),
    signal: AbortSignal.timeout(alarmWebhookTimeoutMs),
  });
  await body.dump();
  if (statusCode >= 300) throw new Error(`ALARM_WEBHOOK_URL answered ${statusCode}`);
}

function describe({ count, byReason }: DeadLetterAlarm, publicUrl: string) {
  const messages = count === 1 ? '1 message is' : `${count} messages are`;
  const reasons = Object.entries(byReason).map(([reason, times]) => `${reason}: ${times}`);
  const paragraphs = [
    `${messages} in the dead-letter queue of ${publicUrl}.`,
    reasons.join(', '),
    'See them with "forgewatch dead-letters list", then redrive or drop them. They are kept for 14 days.',
  ];
  return {
    subject: `Forgewatch: ${messages} in the dead letters`,
    text: paragraphs.join('\n\n'),
    html: paragraphs.map((paragraph) => `<p>${html(paragraph)}</p>`).join(''),
  };
}
