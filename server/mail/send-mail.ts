import type { Log } from '#platform/runtime/log.ts';

export interface Mail {
  /** One address or several, comma-separated. */
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** @throws the failure of the mail server, with its `responseCode` when it answered, MailNotConfigured or MailPartlyTaken */
export type SendMail = (mail: Mail) => Promise<void>;

export class MailNotConfigured extends Error {
  constructor() {
    super('No mail server is set: whoever runs this service sets SMTP_URL.');
    this.name = 'MailNotConfigured';
  }
}

/** Its message names whom the mail server refused; the others have the mail. */
export class MailPartlyTaken extends Error {
  constructor(refused: readonly string[]) {
    super(`The mail server took it for some addresses, but refused ${refused.join(', ')}.`);
    this.name = 'MailPartlyTaken';
  }
}

/** A mail server that hangs holds up its own mail alone, and that for no longer. */
const timeoutMs = 10_000;

/**
 * Mails through the server of SMTP_URL, one connection a mail. Without it the log gets what would have been mailed, and
 * whoever sends tells the event log, as they know the integration.
 */
export function makeSendMail(
  { smtpUrl, mailFrom }: { smtpUrl: string | undefined; mailFrom: string },
  log: Log,
): SendMail {
  if (smtpUrl === undefined)
    return async ({ to, subject, text }) => {
      log.info({ to, subject, text: withoutTokens(text) }, 'a mail is not sent, as SMTP_URL is unset');
      throw new MailNotConfigured();
    };
  return async (mail) => {
    // Loaded by the first mail: a start does without.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // A mail is made of texts alone: nothing it names is ever fetched or read from disk.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { rejected } = await transport.sendMail({ from: mailFrom, ...mail });
    if (rejected.length > 0) throw new MailPartlyTaken(rejected);
  };
}

/** What follows the path of a link may open something for whoever holds it. */
function withoutTokens(text: string): string {
  return text.replace(/(https?:\/\/[^\s?#]+[?#])\S+/g, '$1(hidden)');
}
