import type { Tx } from '#platform/database/database.ts';
import { findCreation } from '../settings-store.ts';
import { readCiMetrics, type MetricFamily } from '#server/ci-metrics/read-ci-metrics.ts';

/** The metrics of an integration as `metrics.txt` shows them. */
export interface FoundMetrics {
  integrationId: string;
  /** When all counters were zero. */
  since: Date;
  families: readonly MetricFamily[];
}

export async function readMetrics(tx: Tx, integrationId: string): Promise<FoundMetrics> {
  const [since, families] = await Promise.all([
    findCreation(tx, integrationId),
    readCiMetrics(tx, integrationId),
  ]);
  return { integrationId, since: since ?? new Date(0), families };
}
