import { startNode, type Child } from '../children.ts';
import { cpuMicros } from '../cpu.ts';
import { startLoad } from '../load.ts';
import { portOf, startProduct } from '../product.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { prepareTargets, type Targets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';
import { socketUrls, viewersOfEach } from './p7-live.ts';

const eventsPerSecond = 20;
const integrations = 5;
const socketsOfPerson = 5;

export const p7Quiet: Budget = {
  id: 'P7 quiet',
  what: 'CPU of serve and Postgres for an event at 20/s with 50 sockets, against a short Node program with as many statements and frames',
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
    // A server that runs for days executes compiled code. V8 compiles what has run often.
    for (const { port, measure } of [
      { port: portOf(serve.ready), measure: ofProduct },
      { port: Number(plain.ready), measure: ofPlain },
    ]) {
      await load.run({ port, seconds: bench.isQuick ? 4 : 15, rate: 200, kind: 'fresh' });
      await measure(5);
    }
    // Five parts of a minute.
    const seconds = bench.isQuick ? 4 : 12;
    const pairs = await inTurn(
      bench,
      5,
      () => ofProduct(seconds),
      () => ofPlain(seconds),
    );
    const ms = (side: 'product' | 'other') => (median(pairs.map((pair) => pair[side])) / 1000).toFixed(1);
    return [ratioResult(p7Quiet, pairs, { atMost: 2 }, { note: `${ms('product')} and ${ms('other')} ms` })];
  },
};

/** Starts the plain program, with as many sockets for each integration as the product has. */
async function startPlain(bench: Bench, targets: Targets, clients: Child): Promise<Child> {
  const args = [targets.file, await bench.createDatabase('plain_path')];
  const plain = await startNode(bench, 'scripts/bench/programs/plain-path.ts', args, {
    env: { NODE_OPTIONS: '--v8-pool-size=1' },
  });
  for (const { integrationId } of targets.integrations)
    await clients.ask(
      `open ws://127.0.0.1:${plain.ready}/${integrationId} ${viewersOfEach * socketsOfPerson}`,
    );
  return plain;
}
