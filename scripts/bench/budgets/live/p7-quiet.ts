import { startNode, type Child } from '../../children.ts';
import { cpuMicros } from '../../cpu.ts';
import { startLoad } from '../../load.ts';
import { freshEvents, makePipeline } from '../../pipeline.ts';
import { portOf, startProduct } from '../../product.ts';
import { median, ratioResult, type Pair } from '../../results/pairs.ts';
import { prepareTargets, type Targets } from '../../targets.ts';
import type { Bench, Budget } from '../../types.ts';
import { socketUrls, viewersOfEach } from './p7-live.ts';

const eventsPerSecond = 20;
const integrations = 5;
const socketsOfPerson = 5;
const batchedEvents = 3_000;

export const p7Quiet: Budget = {
  id: 'P7 quiet',
  what: 'CPU of serve and Postgres for an event at 20/s with 50 sockets, against queueing and storing it in batches',
  run: async (bench) => {
    const targets = await prepareTargets(bench, 'quiet', integrations);
    const { databaseUrl, file } = targets;
    const serve = await startProduct(bench, 'serve', databaseUrl);
    const load = await startLoad(bench, file);
    const clients = await startNode(bench, 'scripts/bench/programs/socket-clients.ts');
    for (const url of await socketUrls(databaseUrl, serve.ready, bench.masterKey))
      await clients.ask(`open ${url} ${socketsOfPerson}`);
    const plain = await startPlain(bench, targets, clients);
    const quiet = async (pid: number, port: number, seconds: number): Promise<number> => {
      const before = cpuMicros(pid) + cpuMicros(bench.postgresPid());
      const { answered } = await load.run({ port, seconds, rate: eventsPerSecond, kind: 'fresh' });
      return (cpuMicros(pid) + cpuMicros(bench.postgresPid()) - before) / answered;
    };
    const ofProduct = (seconds: number) => quiet(serve.pid, portOf(serve.ready), seconds);
    const ofPlain = (seconds: number) => quiet(plain.pid, Number(plain.ready), seconds);
    const inBatches = await makeBatched(bench);
    await ofProduct(5);
    await ofPlain(5);
    await inBatches();
    const pairs: Pair<number>[] = [];
    const plainPairs: Pair<number>[] = [];
    // Five parts of a minute.
    const seconds = bench.isQuick ? 4 : 12;
    while (pairs.length < 5) {
      const other = await inBatches();
      pairs.push({ product: await ofProduct(seconds), other });
      plainPairs.push({ product: await ofPlain(seconds), other });
      bench.say(`  ${pairs.length}/5 ${JSON.stringify(pairs.at(-1))}, plain ${plainPairs.at(-1)?.product}`);
    }
    const noteOf = (measured: Pair<number>[]) => ({
      note: `${(median(measured.map(({ product }) => product)) / 1000).toFixed(1)} ms`,
    });
    return [
      ratioResult(p7Quiet, pairs, { atMost: 5 }, noteOf(pairs)),
      ratioResult(
        {
          id: 'P7 quiet plain',
          what: 'the same of a short Node program with as many statements and frames, and no more',
        },
        plainPairs,
        undefined,
        noteOf(plainPairs),
      ),
    ];
  },
};

/** Starts the plain program, with as many sockets for each integration as the product has. */
async function startPlain(bench: Bench, targets: Targets, clients: Child): Promise<Child> {
  const args = [targets.file, await bench.createDatabase('plain_path')];
  const plain = await startNode(bench, 'scripts/bench/programs/plain/path.ts', args, {
    env: { NODE_OPTIONS: '--v8-pool-size=1' },
  });
  for (const { integrationId } of targets.integrations)
    await clients.ask(
      `open ws://127.0.0.1:${plain.ready}/${integrationId} ${viewersOfEach * socketsOfPerson}`,
    );
  return plain;
}

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
