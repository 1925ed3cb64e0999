import pg from 'pg';
import { startNode, type Child } from '../children.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

const sockets = 2000;
const updatesOfWindow = 40;

export const p8: Budget = {
  id: 'P8',
  what: 'one 2 KB update to 2,000 sockets, messages per second of CPU, against bare ws',
  run: async (bench) => {
    const servers = await prepareSockets(bench);
    const [product, bare] = [await servers.start('product'), await servers.start('bare')];
    await product.open(sockets);
    await bare.open(sockets);
    await perCpuSecond(product);
    await perCpuSecond(bare);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => perCpuSecond(product),
      () => perCpuSecond(bare),
    );
    return [
      ratioResult(
        p8,
        pairs,
        { atLeast: 0.85 },
        {
          note: `${median(pairs.map((pair) => pair.product)).toFixed(0)}/s of CPU`,
        },
      ),
    ];
  },
};

/** Sends the next update when the last one has reached all sockets, so that the work of both servers is measured completely. */
async function perCpuSecond({ server, clients }: SocketServer): Promise<number> {
  const before = Number(await server.ask('cpu'));
  for (let update = 0; update < updatesOfWindow; update += 1) {
    await server.ask('send');
    const came = Number(await clients.ask(`received ${sockets}`));
    if (came < sockets) throw new Error(`${sockets - came} of ${sockets} sockets did not get the update`);
  }
  const micros = Number(await server.ask('cpu')) - before;
  return (updatesOfWindow * sockets * 1e6) / micros;
}

interface SocketServer {
  server: Child;
  clients: Child;
  /** Opens `count` more sockets. */
  open(count: number): Promise<void>;
}

interface SocketServers {
  start(kind: 'product' | 'bare'): Promise<SocketServer>;
}

/** Servers that only hold sockets: the product's live updates, or `ws` alone. */
async function prepareSockets(bench: Bench): Promise<SocketServers> {
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
      const server = await startNode(bench, program, ids, { env });
      const clients = await startNode(bench, 'scripts/bench/programs/socket-clients.ts');
      const [port, token] = server.ready.split(' ');
      const url = `ws://127.0.0.1:${port}/ws?token=${token}&channel=workflows`;
      return { server, clients, open: async (count) => void (await clients.ask(`open ${url} ${count}`)) };
    },
  };
}
