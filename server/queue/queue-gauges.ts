import { Gauge, type Registry } from 'prom-client';
import type { Queue, QueueDepth } from './queue.ts';

const gauges = [
  { kind: 'ready', name: 'forgewatch_queue_ready', help: 'Messages that wait to be processed' },
  { kind: 'inFlight', name: 'forgewatch_queue_in_flight', help: 'Messages that are being processed' },
  { kind: 'dead', name: 'forgewatch_dead_letters', help: 'Messages that could not be processed' },
] as const;

/** Counted when somebody asks, once for all. Registering twice is once, for a process with both halves. */
export function registerQueueGauges(metrics: Registry, queue: Pick<Queue, 'depth'>): void {
  if (metrics.getSingleMetric(gauges[0].name) !== undefined) return;
  let reading: Promise<QueueDepth | undefined> | undefined;
  // A database that is away must not take the other metrics with it: the last values stay.
  const read = () =>
    (reading ??= queue
      .depth()
      .catch(() => undefined)
      .finally(() => (reading = undefined)));
  for (const { kind, name, help } of gauges) {
    const collect = async (): Promise<void> => {
      const depth = await read();
      if (depth !== undefined) gauge.set(depth[kind]);
    };
    const gauge = new Gauge({ name, help, registers: [metrics], collect });
  }
}
