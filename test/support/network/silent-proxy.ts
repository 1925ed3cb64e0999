import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { after } from 'node:test';

export interface SilentProxy {
  /** The address in place of the database's own. */
  url: string;
  /** Nothing passes any more on the connections that are open, and nobody is told: a network that lost its way. */
  silence(): void;
  /** Everything waits, also on new connections, as with a database that is frozen. Returns what lets it continue. */
  freeze(): () => void;
  /** The next connection that says this is cut off at it. */
  cutOffAt(text: string): void;
  /** Ends all open connections. Postgres still finishes the statement that it executes. */
  cut(): void;
}

/** Stands between a client and Postgres. Closed when the file ends. */
export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const url = new URL(databaseUrl);
  const target = { port: Number(url.port), host: url.hostname };
  const lines = new Set<{ ends: Socket[]; isSilent: boolean }>();
  let isFrozen = false;
  let lastWord: string | undefined;
  const server = createServer((near) => {
    const far = connect(target);
    const line = { ends: [near, far], isSilent: false };
    lines.add(line);
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (chunk) => line.isSilent || to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => line.isSilent || to.destroy());
    };
    near.on('data', (chunk) => {
      if (lastWord === undefined || !chunk.includes(lastWord)) return;
      lastWord = undefined;
      near.destroy();
    });
    pass(near, far);
    pass(far, near);
    if (isFrozen) for (const socket of line.ends) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    for (const { ends } of lines) for (const socket of ends) socket.destroy();
  });
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence: () => {
      for (const line of lines) line.isSilent = true;
    },
    freeze: () => {
      isFrozen = true;
      for (const { ends } of lines) for (const socket of ends) socket.pause();
      return () => {
        isFrozen = false;
        for (const { ends } of lines) for (const socket of ends) socket.resume();
      };
    },
    cutOffAt: (text) => {
      lastWord = text;
    },
    cut: () => {
      for (const { ends } of lines) for (const socket of ends) socket.destroy();
    },
  };
}
