import type { Tx } from '#platform/database/database.ts';

export interface ExportRow {
  url: string;
  sealedHeaders: Buffer;
  headerNames: string[];
  enabled: boolean;
  /** Whether metrics are exported too. */
  metrics: boolean;
  savedAt: Date;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  lastProblem: string | null;
  isFailing: boolean;
  metricsLastSuccessAt: Date | null;
  metricsLastFailureAt: Date | null;
  metricsLastProblem: string | null;
  metricsIsFailing: boolean;
}

export function findExport(tx: Tx, integrationId: string): Promise<ExportRow | undefined> {
  return tx.row<ExportRow>({
    name: 'find-trace-export',
    text: `select url, sealed_headers as "sealedHeaders", header_names as "headerNames", enabled, metrics, saved_at as "savedAt",
             last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt", last_problem as "lastProblem",
             is_failing as "isFailing", metrics_last_success_at as "metricsLastSuccessAt",
             metrics_last_failure_at as "metricsLastFailureAt", metrics_last_problem as "metricsLastProblem",
             metrics_is_failing as "metricsIsFailing"
           from trace_exports where integration_id = $1`,
    values: [integrationId],
  });
}

/** When the next request is due; undefined while the export is disabled. And the waiting runs, counted up to `most`. */
export async function readProgress(
  tx: Tx,
  integrationId: string,
  most: number,
): Promise<{ dueAt: Date | null; waiting: number }> {
  const { rows } = await tx.query<{ dueAt: Date | null; waiting: number }>(
    `select (select due_at from trace_export_schedules where group_id = $1) as "dueAt",
       (select count(*)::integer from (select from trace_export_runs where group_id = $1 limit $2) w) as waiting`,
    [integrationId, most],
  );
  return rows[0]!;
}

/** Locks the settings of the integration, also when it has none yet. */
export async function lockExport(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('trace export ' || $1, 0))`, [integrationId]);
}

export async function upsertExport(
  tx: Tx,
  integrationId: string,
  saved: Pick<ExportRow, 'url' | 'sealedHeaders' | 'headerNames' | 'enabled' | 'metrics' | 'savedAt'>,
): Promise<void> {
  await tx.query(
    `insert into trace_exports (integration_id, url, sealed_headers, header_names, enabled, metrics, saved_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (integration_id) do update set url = $2, sealed_headers = $3, header_names = $4, enabled = $5, metrics = $6,
       saved_at = $7, last_success_at = null, last_failure_at = null, last_problem = null, is_failing = false,
       metrics_last_success_at = null, metrics_last_failure_at = null, metrics_last_problem = null, metrics_is_failing = false`,
    [
      integrationId,
      saved.url,
      saved.sealedHeaders,
      saved.headerNames,
      saved.enabled,
      saved.metrics,
      saved.savedAt,
    ],
  );
}

export function deleteExport(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some('delete from trace_exports where integration_id = $1', [integrationId]);
}

/** Runs that wait are kept, and sent with the new settings at once. So are metrics. */
export async function startSchedule(
  tx: Tx,
  integrationId: string,
  { now, atMost, metrics }: { now: Date; atMost: number; metrics: boolean },
): Promise<void> {
  await tx.query(
    `insert into trace_export_schedules (group_id, due_at, at_most, metrics_due_at) values ($1, $2, $3, $4)
     on conflict (group_id) do update set due_at = $2, failures = 0, at_most = $3, metrics_due_at = $4, metrics_failures = 0`,
    [integrationId, now, atMost, metrics ? now : null],
  );
  await announce(tx);
}

/** Also forgets the runs that wait. */
export async function endSchedule(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('delete from trace_export_schedules where group_id = $1', [integrationId]);
  await tx.query('delete from trace_export_runs where group_id = $1', [integrationId]);
  await announce(tx);
}

async function announce(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('trace_exports_changed', '')`);
}

export interface ExportResult {
  /** Null keeps the former time. */
  successAt: Date | null;
  failureAt: Date | null;
  problem: string | null;
  isFailing: boolean;
}

/** False when the settings were saved after `savedAt`: then the result says nothing about them. */
export function updateResult(
  tx: Tx,
  integrationId: string,
  savedAt: Date,
  { successAt, failureAt, problem, isFailing }: ExportResult,
  columns: '' | 'metrics_' = '',
): Promise<boolean> {
  const success = `${columns}last_success_at`;
  const failure = `${columns}last_failure_at`;
  return tx.some({
    name: `update-trace-export-result ${columns}`,
    text: `update trace_exports set ${success} = coalesce($3, ${success}), ${failure} = coalesce($4, ${failure}),
             ${columns}last_problem = case when $4::timestamptz is null then ${columns}last_problem else $5 end,
             ${columns}is_failing = $6
           where integration_id = $1 and saved_at = $2`,
    values: [integrationId, savedAt, successAt, failureAt, problem, isFailing],
  });
}
