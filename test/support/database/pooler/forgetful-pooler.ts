import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after } from 'node:test';
import { makeMessage, makeStartup, readStartup, splitMessages } from './messages.ts';

/** The state of a session, except the prepared statements: poolers give each session those of its client. */
const forget = makeMessage(
  'Q',
  'reset all; unlisten *; select pg_advisory_unlock_all(); discard temp; close all',
);

const accepted = ['user', 'database', 'application_name', 'client_encoding'];

export interface ForgetfulPooler {
  /** The URL of the database through it. */
  url: string;
  /** The texts of all statements that were sent. */
  statements: Set<string>;
}

/**
 * Does to a client what a pooler in transaction mode does, with one session for each connection: refuses or drops settings of
 * the session, and forgets its state after each transaction. Closed when the file ends.
 */
export async function startForgetfulPooler(
  databaseUrl: string,
  { dropsSettings = false } = {},
): Promise<ForgetfulPooler> {
  const url = new URL(databaseUrl);
  const target = { port: Number(url.port), host: url.hostname };
  const sockets = new Set<Socket>();
  const statements = new Set<string>();
  const server = createServer({ noDelay: true }, (client) => {
    const postgres = connect({ ...target, noDelay: true });
    for (const [socket, other] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    passForgetting(client, postgres, { dropsSettings, statements });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, statements };
}

function passForgetting(
  client: Socket,
  postgres: Socket,
  { dropsSettings, statements }: { dropsSettings: boolean; statements: Set<string> },
): void {
  let unanswered = 0;
  /** What the client sends meanwhile. */
  let waiting: Buffer[] | undefined;

  const start = (message: Buffer): void => {
    const parameters = readStartup(message);
    const kept = parameters.filter(([name]) => accepted.includes(name));
    if (dropsSettings || kept.length === parameters.length) postgres.write(makeStartup(kept));
    else client.end(makeMessage('E', 'SFATAL', 'C08P01', 'Munsupported startup parameter', ''));
  };
  client.on(
    'data',
    splitMessages(true, (type, message) => {
      if (type === 'startup') return start(message);
      // A query has only its text, a statement to prepare has its name before it.
      if (type === 'Q' || type === 'P')
        statements.add(message.toString('utf8', 5).split('\0')[type === 'Q' ? 0 : 1] ?? '');
      if (type === 'Q' || type === 'S') unanswered += 1;
      if (waiting === undefined) postgres.write(message);
      else waiting.push(message);
    }),
  );

  postgres.on(
    'data',
    splitMessages(false, (type, message) => {
      const isReady = type === 'Z';
      if (waiting === undefined) {
        client.write(message);
        if (!isReady) return;
        unanswered = Math.max(0, unanswered - 1);
        if (unanswered > 0 || message.toString('latin1', 5) !== 'I') return;
        waiting = [];
        postgres.write(forget);
      } else if (isReady) {
        for (const held of waiting) postgres.write(held);
        waiting = undefined;
      }
    }),
  );
}
