import pg from 'pg';
import { startNode, type Child } from './children.ts';
import { prepareTargets } from './targets.ts';
import type { Bench } from './types.ts';

export interface SocketServer {
  server: Child;
  clients: Child;
  /** Opens `count` more sockets. */
  open(count: number): Promise<void>;
}

export interface SocketServers {
  start(kind: 'product' | 'bare'): Promise<SocketServer>;
}

/** Servers that only hold sockets: the product's live updates, or `ws` alone. */
export async function prepareSockets(bench: Bench): Promise<SocketServers> {
  const { databaseUrl, integrations } = await prepareTargets(bench, 'sockets', 1);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ user_id: string }>('select user_id from memberships');
  await client.end();
  const ids = [integrations[0]?.integrationId ?? '', rows[0]?.user_id ?? ''];
  const env = { BENCH_DATABASE_URL: databaseUrl, BENCH_KEY: bench.masterKey.toString('base64') };
  return {
    start: async (kind) => {
      const program = `scripts/bench/programs/${kind}-sockets.ts`;
      const server = await startNode(bench, program, ids, { env, nodeArgs: ['--expose-gc'] });
      const clients = await startNode(bench, 'scripts/bench/programs/socket-clients.ts');
      const [port, token] = server.ready.split(' ');
      const url = `ws://127.0.0.1:${port}/ws?token=${token}&channel=workflows`;
      return { server, clients, open: async (count) => void (await clients.ask(`open ${url} ${count}`)) };
    },
  };
}
