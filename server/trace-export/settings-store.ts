import type { Tx } from '#platform/database/database.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { onlyKey } from '#server/tasks/task.ts';

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
  /** When the next request may be sent. */
  dueAt: Date;
  /** Requests that failed since the last one that succeeded. */
  failures: number;
  /** Runs of the next request. */
  atMost: number;
  metricsDueAt: Date;
  metricsFailures: number;
}

export function findExport(tx: Tx, integrationId: string): Promise<ExportRow | undefined> {
  return tx.row<ExportRow>({
    name: 'find-trace-export',
    text: `select url, sealed_headers as "sealedHeaders", header_names as "headerNames", enabled, metrics, saved_at as "savedAt",
             last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt", last_problem as "lastProblem",
             is_failing as "isFailing", metrics_last_success_at as "metricsLastSuccessAt",
             metrics_last_failure_at as "metricsLastFailureAt", metrics_last_problem as "metricsLastProblem",
             metrics_is_failing as "metricsIsFailing", due_at as "dueAt", failures, at_most as "atMost",
             metrics_due_at as "metricsDueAt", metrics_failures as "metricsFailures"
           from trace_exports where integration_id = $1`,
    values: [integrationId],
  });
}

/** The waiting runs, counted up to `most`. */
export async function countWaiting(tx: Tx, integrationId: string, most: number): Promise<number> {
  const waiting = await tx.value<number>(
    'select count(*)::integer from (select from trace_export_runs where group_id = $1 limit $2) w',
    [integrationId, most],
  );
  return waiting ?? 0;
}

/** Locks the settings of the integration, also when it has none yet. */
export async function lockExport(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('trace export ' || $1, 0))`, [integrationId]);
}

export async function upsertExport(
  tx: Tx,
  integrationId: string,
  saved: Pick<
    ExportRow,
    'url' | 'sealedHeaders' | 'headerNames' | 'enabled' | 'metrics' | 'savedAt' | 'atMost'
  >,
): Promise<void> {
  await tx.query(
    `insert into trace_exports (integration_id, url, sealed_headers, header_names, enabled, metrics, saved_at, due_at, metrics_due_at,
       at_most)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8)
     on conflict (integration_id) do update set url = $2, sealed_headers = $3, header_names = $4, enabled = $5, metrics = $6,
       saved_at = $7, last_success_at = null, last_failure_at = null, last_problem = null, is_failing = false,
       metrics_last_success_at = null, metrics_last_failure_at = null, metrics_last_problem = null, metrics_is_failing = false,
       due_at = $7, failures = 0, at_most = $8, metrics_due_at = $7, metrics_failures = 0`,
    [
      integrationId,
      saved.url,
      saved.sealedHeaders,
      saved.headerNames,
      saved.enabled,
      saved.metrics,
      saved.savedAt,
      saved.atMost,
    ],
  );
}

export function deleteExport(tx: Tx, integrationId: string): Promise<boolean> {
  return tx.some('delete from trace_exports where integration_id = $1', [integrationId]);
}

export const traceTask = 'trace-export';
export const metricTask = 'metric-export';

/** Runs that wait are sent with new settings at once. So are metrics. Without an export the tasks end. */
export async function requestExport(tx: Tx, integrationId: string): Promise<void> {
  for (const kind of [traceTask, metricTask])
    await requestTasks(tx, { integrationId, kind }, [onlyKey], 'restart');
}

/** Before a person repeats a task, which would otherwise wait for its next request. */
export async function prepareExportRetry(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(
    'update trace_exports set due_at = least(due_at, now()), metrics_due_at = least(metrics_due_at, now()) where integration_id = $1',
    [integrationId],
  );
}

export async function forgetWaiting(tx: Tx, integrationId: string): Promise<void> {
  await tx.query('delete from trace_export_runs where group_id = $1', [integrationId]);
}

export interface ExportResult {
  /** Null keeps the former time. */
  successAt: Date | null;
  failureAt: Date | null;
  problem: string | null;
  isFailing: boolean;
  dueAt: Date;
  failures: number;
  /** Only of traces. */
  atMost?: number;
}

/** False when the settings were saved after `savedAt`: then the result says nothing about them. */
export function updateResult(
  tx: Tx,
  integrationId: string,
  savedAt: Date,
  { successAt, failureAt, problem, isFailing, dueAt, failures, atMost }: ExportResult,
  columns: '' | 'metrics_' = '',
): Promise<boolean> {
  const success = `${columns}last_success_at`;
  const failure = `${columns}last_failure_at`;
  return tx.some({
    name: `update-trace-export-result ${columns}`,
    text: `update trace_exports set ${success} = coalesce($3, ${success}), ${failure} = coalesce($4, ${failure}),
             ${columns}last_problem = case when $4::timestamptz is null then ${columns}last_problem else $5 end,
             ${columns}is_failing = $6, ${columns}due_at = $7, ${columns}failures = $8, at_most = coalesce($9, at_most)
           where integration_id = $1 and saved_at = $2`,
    values: [integrationId, savedAt, successAt, failureAt, problem, isFailing, dueAt, failures, atMost],
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
