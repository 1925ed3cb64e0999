import type { Tx } from '#platform/database/database.ts';

/** All times come from the clock of the caller. */

export interface MetricSchedule {
  integrationId: string;
  failures: number;
}

/** Leases integrations whose metrics are due, except those that this process is exporting. In random order, as for traces. */
export function claimMetricSchedules(
  tx: Tx,
  most: number,
  busy: readonly string[],
  now: Date,
  leasedUntil: Date,
): Promise<MetricSchedule[]> {
  return tx.rows<MetricSchedule>({
    name: 'claim-metric-exports',
    text: `update trace_export_schedules s set metrics_due_at = $3
           from (select group_id from trace_export_schedules where metrics_due_at <= $2 and group_id <> all ($4::uuid[])
                 order by random() limit $1 for update skip locked) d
           where s.group_id = d.group_id
           returning s.group_id as "integrationId", s.metrics_failures as failures`,
    values: [most, now, leasedUntil, busy],
  });
}

export async function updateMetricSchedule(
  tx: Tx,
  { integrationId, failures }: MetricSchedule,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'update-metric-export-schedule',
    text: 'update trace_export_schedules set metrics_due_at = $2, metrics_failures = $3 where group_id = $1',
    values: [integrationId, dueAt, failures],
  });
}

/** Counters of an integration begin with it. */
export function findCreation(tx: Tx, integrationId: string): Promise<Date | undefined> {
  return tx.value<Date>({
    name: 'find-creation-of-integration',
    text: 'select created_at from integrations where integration_id = $1',
    values: [integrationId],
  });
}
