import { createServer, connect, type Socket } from 'node:net';
import type { Bench } from './types.ts';

/** What a program sent to Postgres while it was watched. */
export interface Statements {
  statements: number;
  /** Times that the program waited for answers before it sent more. */
  roundTrips: number;
}

export interface StatementCounter {
  /** The URL of the database through the counter. */
  databaseUrl: string;
  watch(): () => Statements;
}

/** A proxy in front of Postgres that counts statements and round trips in the messages of the protocol. */
export async function startStatementCounter(bench: Bench, databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  let statements = 0;
  let roundTrips = 0;
  let unanswered = 0;
  const noteSent = (type: string, body: Buffer): void => {
    if (type === 'Q')
      statements += body
        .toString()
        .split(';')
        .filter((part) => part.trim().length > 1).length;
    if (type === 'E') statements += 1;
    if (type !== 'Q' && type !== 'S') return;
    if (unanswered === 0) roundTrips += 1;
    unanswered += 1;
  };
  const server = createServer({ noDelay: true }, (client) => {
    const postgres = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let own = 0;
    pass(
      client,
      postgres,
      messages(true, (type, body) => {
        const before = unanswered;
        noteSent(type, body);
        own += unanswered - before;
      }),
    );
    pass(
      postgres,
      client,
      messages(false, (type) => {
        // The first `ReadyForQuery` answers the start-up.
        if (type !== 'Z' || own === 0) return;
        own -= 1;
        unanswered -= 1;
      }),
    );
    client.on('close', () => {
      unanswered -= own;
      own = 0;
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  bench.onEnd(async () => void server.close());
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    databaseUrl: url.href,
    watch: () => {
      const before = { statements, roundTrips };
      return () => ({
        statements: statements - before.statements,
        roundTrips: roundTrips - before.roundTrips,
      });
    },
  };
}

function pass(from: Socket, to: Socket, note: (chunk: Buffer) => void): void {
  from.on('data', (chunk) => {
    note(chunk as Buffer);
    to.write(chunk);
  });
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

/** Calls `note` for each message of one direction. The first message of a client has no type. */
function messages(isClient: boolean, note: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isFirst = isClient;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) return;
      if (!isFirst) note(String.fromCharCode(rest[0]!), rest.subarray(head + 4, end));
      isFirst = false;
      rest = rest.subarray(end);
    }
  };
}
