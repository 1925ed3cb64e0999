import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Gauges with the suffix of counters, which `promtool check metrics` rejects. Each is the sum of the gauge without
 * `_total`.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Milliseconds between two looks at the event loop's delay. Each look wakes the process, also when it is idle. */
const eventLoopMonitoringPrecision = 100;

/** Metrics of the process. Modules register their own. A new registry per program, so that tests can start several. */
export function makeMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return registry;
}

/** Gauges of one query ask it once per scrape. Undefined when it fails: the gauges keep their last values, and others are still served. */
export function askOnce<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  return () =>
    (asked ??= ask()
      .catch(() => undefined)
      .finally(() => (asked = undefined)));
}
