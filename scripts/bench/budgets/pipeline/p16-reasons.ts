import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { allCpu, eventCpu, eventStream } from '../../event-cpu.ts';
import { startReasons, type Reasons } from '../../reasons/start-reasons.ts';
import { inTurn, median, ratioResult, type Limit, type Pair } from '../../results/pairs.ts';
import type { Bench, Budget, Result } from '../../types.ts';

const perSecond = 50;

export const p16Reasons: Budget = {
  id: 'P16 reasons',
  what: `CPU of serve and Postgres per event at ${perSecond}/s with the logs of failed jobs read, against without a connection`,
  run: async (bench) => {
    const [size, pairs] = bench.isQuick ? [500, 3] : [2100, 5];
    const reasons = await startReasons(bench);
    const next = eventStream('reasons');
    const cpu = (target: CreatedIntegration, events: readonly SimulatedEvent[], pace: object) =>
      allCpu(bench, reasons.product, { ...reasons.sent(target, events), ...pace });
    // At full speed: most of what the first thousands of events cost is the compiler.
    const first = next(5000);
    for (const target of [reasons.alone, reasons.connected]) await cpu(target, first, {});
    const measured = await measurePairs(bench, reasons, {
      pairs,
      next: () => next(size),
      cpu: (target, events) => cpu(target, events, { perSecond }),
    });
    return [resultOf(p16Reasons, measured, { atMost: 1.05 })];
  },
};

export const p16FullSpeed: Budget = {
  id: 'P16 reasons at full speed',
  what: 'CPU per event as in P16 reasons with events as fast as serve takes them, without that of the idle product',
  run: async (bench) => {
    const [size, pairs] = bench.isQuick ? [2000, 3] : [6000, 7];
    const reasons = await startReasons(bench);
    const next = eventStream('reasons');
    const cpu: Measuring['cpu'] = (target, events) =>
      eventCpu(bench, reasons.product, reasons.sent(target, events));
    const first = next(5000);
    for (const target of [reasons.alone, reasons.connected]) await cpu(target, first);
    const measured = await measurePairs(bench, reasons, { pairs, next: () => next(size), cpu });
    return [resultOf(p16FullSpeed, measured, undefined)];
  },
};

interface Measuring {
  pairs: number;
  next(): SimulatedEvent[];
  cpu(target: CreatedIntegration, events: readonly SimulatedEvent[]): Promise<number>;
}

interface Measured {
  /** CPU of one event. */
  pairs: Pair<number>[];
  failedShare: number;
  logsRead: number;
  logKiB: number;
}

/** Both sides of a pair store the same events: two random sets differ by more than the logs cost. */
async function measurePairs(
  bench: Bench,
  { connected, alone, ...reasons }: Reasons,
  { pairs, next, cpu }: Measuring,
): Promise<Measured> {
  let events: SimulatedEvent[] = [];
  const failedShares: number[] = [];
  const before = reasons.read();
  const measured = await inTurn(
    bench,
    pairs,
    async () => {
      events = next();
      const micros = await cpu(connected, events);
      failedShares.push(reasons.failedShare());
      return micros / events.length;
    },
    async () => (await cpu(alone, events)) / events.length,
  );
  return {
    pairs: measured,
    failedShare: median(failedShares),
    logsRead: reasons.read() - before,
    logKiB: reasons.logKiB(),
  };
}

function resultOf(
  budget: Budget,
  { pairs, failedShare, logsRead, logKiB }: Measured,
  limit: Limit | undefined,
): Result {
  const micros = (side: 'product' | 'other') => median(pairs.map((pair) => pair[side])).toFixed(0);
  const note =
    `${micros('product')} and ${micros('other')} µs an event, ${(failedShare * 100).toFixed(0)} % of jobs fail, ` +
    `logs of ${logKiB} KiB, ${logsRead} read`;
  return ratioResult(budget, pairs, limit, { note, failedShare });
}
