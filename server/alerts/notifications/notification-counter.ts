import { Counter, type Registry } from 'prom-client';
import type { DispatcherDeps } from './notification-dispatcher.ts';

/** Counts notifications by result, as `forgewatch_alerts_total{outcome}`. */
export function makeNotificationCounter(metrics: Registry): DispatcherDeps['count'] {
  const counter = new Counter({
    name: 'forgewatch_alerts_total',
    help: 'Notifications of rules by result',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  return (outcome) => counter.inc({ outcome });
}
