import { setTimeout as delay } from 'node:timers/promises';
import { cpuMicros } from '../cpu.ts';
import { startLoad } from '../load.ts';
import { portOf, startProduct } from '../product.ts';
import { queueDepth } from '../queue-depth.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget, Result } from '../types.ts';

const processCounts = [1, 2, 4] as const;

/** Only by name: on fewer cores than processes the rates show the machine. The CPU time for each event does not. */
export const scale: Budget = {
  id: 'scale',
  what: 'rate and CPU time of 1, 2 and 4 api and worker processes on one database',
  isOnlyByName: true,
  run: async (bench) => {
    const steps: Step[] = [];
    for (const processes of processCounts) steps.push(await measureStep(bench, processes));
    const [one] = steps;
    return one === undefined ? [] : steps.flatMap((step) => [accepting(step, one), storing(step, one)]);
  },
};

interface Phase {
  events: number;
  perSecond: number;
  /** CPU microseconds for each event. */
  postgres: number;
  product: number;
}

interface Step {
  processes: number;
  accepted: Phase;
  stored: Phase;
}

/** First only `api` processes accept webhooks, then only `worker` processes store them. */
async function measureStep(bench: Bench, processes: number): Promise<Step> {
  const { databaseUrl, file } = await prepareTargets(bench, 'scale', 200);
  const seconds = bench.isQuick ? 3 : 15;
  const each = Array.from({ length: processes });
  const apis = await Promise.all(each.map(() => startProduct(bench, 'api', databaseUrl)));
  const loads = await Promise.all(each.map(() => startLoad(bench, file)));
  const connections = 64 / processes;
  const send = async (duration: number): Promise<number> => {
    const sent = await Promise.all(
      loads.map((load, place) =>
        load.run({
          port: portOf(apis[place]?.ready ?? ''),
          seconds: duration,
          connections,
          kind: 'fresh',
        }),
      ),
    );
    return sent.reduce((sum, { answered }) => sum + answered, 0);
  };
  await send(2);
  const accepted = await measure(bench, apis, () => send(seconds));
  for (const api of apis) await api.stop();

  const events = await queueDepth(databaseUrl);
  const workers = await Promise.all(each.map(() => startProduct(bench, 'worker', databaseUrl)));
  const stored = await measure(bench, workers, async () => {
    while ((await queueDepth(databaseUrl)) > 0) await delay(100);
    return events;
  });
  for (const worker of workers) await worker.stop();
  return { processes, accepted, stored };
}

async function measure(bench: Bench, own: { pid: number }[], work: () => Promise<number>): Promise<Phase> {
  const read = () => ({
    postgres: cpuMicros(bench.postgresPid()),
    product: own.reduce((sum, { pid }) => sum + cpuMicros(pid), 0),
    ms: performance.now(),
  });
  const before = read();
  const events = await work();
  const after = read();
  return {
    events,
    perSecond: (events * 1000) / (after.ms - before.ms),
    postgres: (after.postgres - before.postgres) / events,
    product: (after.product - before.product) / events,
  };
}

const accepting = (step: Step, one: Step): Result =>
  result('accept', 'api', step.processes, step.accepted, one.accepted);

const storing = (step: Step, one: Step): Result =>
  result('store', 'worker', step.processes, step.stored, one.stored);

function result(phase: string, role: string, processes: number, it: Phase, one: Phase): Result {
  return {
    id: `scale ${phase} ${processes}`,
    what: `${processes} ${role} processes: rate as a share of one process, and CPU time for each event`,
    measured:
      `${(it.perSecond / one.perSecond).toFixed(2)} of one (${it.perSecond.toFixed(0)}/s); ` +
      `Postgres ${it.postgres.toFixed(0)} µs, ${role} ${it.product.toFixed(0)} µs`,
    budget: '-',
    met: true,
    figures: {
      events: it.events,
      ratio: it.perSecond / one.perSecond,
      postgresMicros: it.postgres,
      productMicros: it.product,
    },
  };
}
