import { createTransport } from 'nodemailer';

export interface Mail {
  /** One address or several, comma-separated. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** @throws the failure of the mail server, with its `responseCode` when it answered, or MailNotConfigured */
export type SendMail = (mail: Mail) => Promise<void>;

export class MailNotConfigured extends Error {
  constructor() {
    super('No mail server is set: whoever runs this service sets SMTP_URL.');
    this.name = 'MailNotConfigured';
  }
}

/** A mail server that hangs holds up its own mail alone, and that for no longer. */
const timeoutMs = 10_000;

/** Mails through the server of SMTP_URL, one connection a mail. */
export function makeSendMail({
  smtpUrl,
  mailFrom,
}: {
  smtpUrl: string | undefined;
  mailFrom: string;
}): SendMail {
  if (smtpUrl === undefined) return async () => Promise.reject(new MailNotConfigured());
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A mail is made of texts alone: nothing it names is ever fetched or read from disk.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (mail) => {
    await transport.sendMail({ from: mailFrom, ...mail });
  };
}
