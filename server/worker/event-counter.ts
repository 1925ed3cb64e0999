import { Counter, type Registry } from 'prom-client';
import type { ProcessBatchDeps } from './process-batch.ts';

/** Counts processed events as `forgewatch_events_total{outcome}`. */
export function makeEventCounter(metrics: Registry): ProcessBatchDeps['count'] {
  const counter = new Counter({
    name: 'forgewatch_events_total',
    help: 'Queued events processed, by outcome',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  return ({ stored, stale }, failures) => {
    counter.inc({ outcome: 'stored' }, stored);
    counter.inc({ outcome: 'stale' }, stale);
    counter.inc({ outcome: 'failed' }, failures.length);
  };
}
