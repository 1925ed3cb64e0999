import { startNode } from '../../children.ts';
import { cpuMicros } from '../../cpu.ts';
import { startLoad } from '../../load.ts';
import { freshEvents, makePipeline } from '../../pipeline.ts';
import { portOf, startProduct } from '../../product.ts';
import { ratioResult, type Pair } from '../../results/pairs.ts';
import { prepareTargets } from '../../targets.ts';
import type { Bench, Budget } from '../../types.ts';
import { socketUrls } from './p7-live.ts';

const eventsPerSecond = 20;
const integrations = 5;
const socketsOfPerson = 5;
const batchedEvents = 3_000;

export const p7Quiet: Budget = {
  id: 'P7 quiet',
  what: 'CPU of serve and Postgres for an event at 20/s with 50 sockets, against queueing and storing it in batches',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'quiet', integrations);
    const serve = await startProduct(bench, 'serve', databaseUrl);
    const load = await startLoad(bench, file);
    const clients = await startNode(bench, 'scripts/bench/programs/socket-clients.ts');
    for (const url of await socketUrls(databaseUrl, serve.ready, bench.masterKey))
      await clients.ask(`open ${url} ${socketsOfPerson}`);
    const port = portOf(serve.ready);
    const quiet = async (seconds: number): Promise<number> => {
      const before = cpuMicros(serve.pid) + cpuMicros(bench.postgresPid());
      const { answered } = await load.run({ port, seconds, rate: eventsPerSecond, kind: 'fresh' });
      return (cpuMicros(serve.pid) + cpuMicros(bench.postgresPid()) - before) / answered;
    };
    const inBatches = await makeBatched(bench);
    await quiet(5);
    await inBatches();
    const pairs: Pair<number>[] = [];
    // Five parts of a minute.
    while (pairs.length < 5) {
      pairs.push({ product: await quiet(bench.isQuick ? 4 : 12), other: await inBatches() });
      bench.say(`  ${pairs.length}/5 ${JSON.stringify(pairs.at(-1))}`);
    }
    const micros = pairs.map(({ product }) => product).toSorted((a, b) => a - b)[2] ?? 0;
    return [ratioResult(p7Quiet, pairs, { atMost: 5 }, { note: `${(micros / 1000).toFixed(1)} ms` })];
  },
};

/** CPU microseconds of this process and Postgres for an event that is queued and stored like those of P4. */
async function makeBatched(bench: Bench): Promise<() => Promise<number>> {
  const pipeline = await makePipeline(bench, 200);
  return async () => {
    const events = freshEvents(pipeline.integrationIds, batchedEvents / pipeline.integrationIds.length);
    const own = process.cpuUsage();
    const before = cpuMicros(bench.postgresPid());
    await pipeline.fill(events);
    await pipeline.drain(events.length);
    const { user, system } = process.cpuUsage(own);
    return (user + system + cpuMicros(bench.postgresPid()) - before) / events.length;
  };
}
