import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { after } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

export interface Balancer {
  url: string;
  /** Polls the health check of a server from now on. Resolves when it gets connections. */
  add(url: string): Promise<void>;
  remove(url: string): void;
}

const pollEveryMs = 100;

/** Passes each new connection to the next server whose `/readyz` is green, as a load balancer in TCP mode does. Repeats nothing. */
export async function startBalancer(): Promise<Balancer> {
  const healthy = new Map<string, boolean>();
  const ended = new AbortController();
  let turn = 0;
  const server = createServer((near) => {
    const green = [...healthy].filter(([, isGreen]) => isGreen);
    const next = green[(turn += 1) % green.length];
    if (next === undefined) return near.destroy();
    const far = connect(Number(new URL(next[0]).port), '127.0.0.1');
    for (const socket of [near, far]) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    ended.abort();
    server.close();
  });

  const check = async (url: string): Promise<void> => {
    const isGreen = await fetch(new URL('/readyz', url)).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (healthy.has(url)) healthy.set(url, isGreen);
  };
  const poll = async (url: string): Promise<void> => {
    while (healthy.has(url) && !ended.signal.aborted) {
      await check(url);
      await delay(pollEveryMs);
    }
  };
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    add: async (url) => {
      healthy.set(url, false);
      await check(url);
      void poll(url);
    },
    remove: (url) => void healthy.delete(url),
  };
}
