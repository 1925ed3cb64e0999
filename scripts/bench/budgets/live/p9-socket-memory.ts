import { inTurn, median, ratioResult } from '../../results/pairs.ts';
import { prepareSockets, type SocketServers } from '../../sockets.ts';
import type { Budget } from '../../types.ts';

/** Opened before the first reading, so that one-time allocations are not counted. */
const firstSockets = 200;
const sockets = 2000;

export const p9: Budget = {
  id: 'P9',
  what: 'memory of an idle socket, against bare ws',
  run: async (bench) => {
    const servers = await prepareSockets(bench);
    const pairs = await inTurn(
      bench,
      5,
      () => bytesOfSocket(servers, 'product'),
      () => bytesOfSocket(servers, 'bare'),
    );
    return [
      ratioResult(
        p9,
        pairs,
        { atMost: 1.25 },
        {
          note: `${(median(pairs.map(({ product }) => product)) / 1024).toFixed(1)} KiB`,
        },
      ),
    ];
  },
};

async function bytesOfSocket(servers: SocketServers, kind: 'product' | 'bare'): Promise<number> {
  const { server, clients, open } = await servers.start(kind);
  await open(firstSockets);
  const before = Number(await server.ask('memory'));
  await open(sockets);
  const after = Number(await server.ask('memory'));
  await Promise.all([clients.stop(), server.stop()]);
  return (after - before) / sockets;
}
