import { Gauge, type Registry } from 'prom-client';
import type { Database } from '#platform/database/database.ts';
import { askOnce } from '#platform/runtime/metrics.ts';
import { countTasks } from './store.ts';

const gauges = [
  {
    of: 'waiting',
    name: 'forgewatch_tasks_waiting',
    help: 'Background tasks that are due and wait for a place',
  },
  {
    of: 'oldestSeconds',
    name: 'forgewatch_tasks_oldest_seconds',
    help: 'Since when the oldest waiting task is due',
  },
  { of: 'failing', name: 'forgewatch_tasks_failing', help: 'Background tasks whose last turn failed' },
] as const;

/** Counts background work by kind, once for each scrape. */
export function registerTaskGauges(metrics: Registry, db: Database): void {
  if (metrics.getSingleMetric(gauges[0].name) !== undefined) return;
  const read = askOnce(() => db.withScope('service', countTasks));
  for (const { of, name, help } of gauges) {
    const collect = async (): Promise<void> => {
      const counts = await read();
      if (counts === undefined) return;
      gauge.reset();
      for (const count of counts) gauge.set({ kind: count.kind }, count[of]);
    };
    const gauge = new Gauge({ name, help, labelNames: ['kind'], registers: [metrics], collect });
  }
}
