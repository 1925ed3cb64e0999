import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  /** As sent: headers and encoded parts. */
  source: string;
}

/** A mail server that keeps what it takes; gone when the file ends. */
export async function startMailServer(): Promise<{ url: string; mails: ReceivedMail[] }> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, session, done) => {
      void text(stream).then((source) => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source });
        done();
      }, done);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, mails };
}
