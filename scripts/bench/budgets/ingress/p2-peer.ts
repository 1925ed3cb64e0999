import { startNode } from '../../children.ts';
import { startLoad } from '../../load.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { portOf, startProduct } from '../../product.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget } from '../../types.ts';
import { measureIngress } from './p1-ingress.ts';

export const p2: Budget = {
  id: 'P2',
  what: 'the same, against Fastify, octokit and one pg-boss send a request',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'ingress', 200);
    const api = await startProduct(bench, 'api', databaseUrl);
    const peerDatabase = await bench.createDatabase('peer');
    const peer = await startNode(bench, 'scripts/bench/programs/peer-server.ts', [file, peerDatabase]);
    const load = await startLoad(bench, file);
    const product = (seconds: number) => measureIngress(bench, load, portOf(api.ready), seconds, api.pid);
    const other = (seconds: number) => measureIngress(bench, load, Number(peer.ready), seconds, peer.pid);
    await product(3);
    await other(3);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => product(2),
      () => other(2),
    );
    const peerPerSecond = median(pairs.map((pair) => pair.other.rate));
    return [
      ratioResult(
        p2,
        pick(pairs, ({ rate }) => rate),
        { atLeast: 9 },
        {
          note: `the peer ${peerPerSecond.toFixed(0)}/s`,
          peerMicros: median(pairs.map((pair) => pair.other.serverMicros)),
          peerPostgresMicros: median(pairs.map((pair) => pair.other.postgresMicros)),
        },
      ),
    ];
  },
};
