import { collectDefaultMetrics, Registry } from 'prom-client';

/** The process's metrics; parts register their own. A new one for each program, so that tests can start several. */
export function makeMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
