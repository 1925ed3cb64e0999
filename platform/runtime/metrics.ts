import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Gauges that the library names like counters, which `promtool check metrics` refuses. Each is the sum of one without
 * `_total`.
 */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The process's metrics; parts register their own. A new one for each program, so that tests can start several. */
export function makeMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  return registry;
}
