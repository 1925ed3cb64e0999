import type { Log } from '#platform/runtime/log.ts';

export interface Mail {
  /** One address or several, comma-separated. */
  to: string;
  subject: string;
  text: string;
  html?: string;
  headers?: Record<string, string>;
}

/** @throws MailNotConfigured, MailPartlyAccepted, or the error of the mail server, with its `responseCode` if it answered */
export type SendMail = (mail: Mail) => Promise<void>;

export class MailNotConfigured extends Error {
  constructor() {
    super('No mail server is configured. Set SMTP_URL on the server.');
    this.name = 'MailNotConfigured';
  }
}

/** The mail server refused some addresses, which the message lists. The others received the mail. */
export class MailPartlyAccepted extends Error {
  constructor(refused: readonly string[]) {
    super(`The mail server refused these addresses: ${refused.join(', ')}. The others received the mail.`);
    this.name = 'MailPartlyAccepted';
  }
}

/** Limits the wait for a mail server that hangs. */
const timeoutMs = 10_000;

/**
 * Sends mails through the server of SMTP_URL, with one connection per mail. Without SMTP_URL it logs the mail and throws; the caller
 * writes to the event log, because it knows the integration.
 */
export function makeSendMail(
  { smtpUrl, mailFrom }: { smtpUrl: string | undefined; mailFrom: string },
  log: Log,
): SendMail {
  if (smtpUrl === undefined)
    return async ({ to, subject, text }) => {
      log.info({ to, subject, text: withoutTokens(text) }, 'mail not sent, SMTP_URL is not set');
      throw new MailNotConfigured();
    };
  return async (mail) => {
    // Load the library with the first mail, for a faster start.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Mails are text only: never fetch URLs or read files.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { rejected } = await transport.sendMail({ from: mailFrom, ...mail });
    if (rejected.length > 0) throw new MailPartlyAccepted(rejected);
  };
}

/** Hides query strings and fragments of links: they may contain tokens. */
function withoutTokens(text: string): string {
  return text.replace(/(https?:\/\/[^\s?#]+[?#])\S+/g, '$1(hidden)');
}
