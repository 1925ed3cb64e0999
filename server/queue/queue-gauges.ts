import { Gauge, type Registry } from 'prom-client';
import { askOnce } from '#platform/runtime/metrics.ts';
import type { Queue } from './queue.ts';

const gauges = [
  { kind: 'ready', name: 'forgewatch_queue_ready', help: 'Messages that wait to be processed' },
  { kind: 'inFlight', name: 'forgewatch_queue_in_flight', help: 'Messages that are being processed' },
  {
    kind: 'oldestSeconds',
    name: 'forgewatch_queue_oldest_seconds',
    help: 'Age of the oldest message in Postgres that was not processed',
  },
  { kind: 'dead', name: 'forgewatch_dead_letters', help: 'Messages that could not be processed' },
] as const;

/** Reads the depth once per scrape. A second registration has no effect: a process may have both roles. */
export function registerQueueGauges(metrics: Registry, queue: Pick<Queue, 'depth'>): void {
  if (metrics.getSingleMetric(gauges[0].name) !== undefined) return;
  const read = askOnce(() => queue.depth());
  for (const { kind, name, help } of gauges) {
    const collect = async (): Promise<void> => {
      const depth = await read();
      if (depth !== undefined) gauge.set(depth[kind]);
    };
    const gauge = new Gauge({ name, help, registers: [metrics], collect });
  }
}
