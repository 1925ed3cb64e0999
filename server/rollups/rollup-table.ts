import { defineTable } from '#platform/database/multi-row.ts';
import type { RollupRow } from './rollups.ts';

export const rollupTable = defineTable<RollupRow>('rollups', 4, {
  integrationId: 'uuid',
  kind: 'text',
  hour: 'timestamptz',
  series: 'bytea',
  repository: 'text',
  workflow: 'text',
  job: 'text',
  runner: 'text',
  onDefaultBranch: 'boolean',
  count: 'bigint',
  succeeded: 'bigint',
  failed: 'bigint',
  cancelled: 'bigint',
  reruns: 'bigint',
  billableMinutes: 'bigint',
  durationMs: 'bigint',
  queueMs: 'bigint',
  durations: 'histogram',
  queueTimes: 'histogram',
});
