import { Counter, type Registry } from 'prom-client';
import type { DispatcherDeps } from './notification-dispatcher.ts';

/** Counts what became of messages, as `forgewatch_alerts_total{outcome}`. */
export function makeNotificationCounter(metrics: Registry): DispatcherDeps['count'] {
  const counter = new Counter({
    name: 'forgewatch_alerts_total',
    help: 'Messages of notification rules, by what became of them',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  return (outcome) => counter.inc({ outcome });
}
