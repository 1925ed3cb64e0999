import type { Tx } from '#platform/database/database.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ExportDeps } from '../sending/export-runs.ts';
import { failingEntry, recoveredEntry } from '../sending/log-entries.ts';
import { backOffMs } from '../sending/next-step.ts';
import { sendOtlp, type SendResult } from '../sending/send-otlp.ts';
import { findExport, updateResult, type ExportRow } from '../settings-store.ts';
import { openTarget } from '../target.ts';
import { encodeMetrics } from './encode-metrics.ts';
import { readMetrics } from './read-metrics.ts';
import { updateMetricSchedule, type MetricSchedule } from './schedule-store.ts';

/** Sends the present metrics of an integration whose schedule is leased. A request that fails needs no repetition: counters are sums. */
export async function exportMetrics(deps: ExportDeps, schedule: MetricSchedule): Promise<void> {
  const { db, clock, policy } = deps;
  const { integrationId } = schedule;
  const found = await db.withScope({ integrationId }, async (tx) => {
    const settings = await findExport(tx, integrationId);
    return settings && { settings, metrics: await readMetrics(tx, integrationId) };
  });
  if (found === undefined) return;
  const { settings, metrics } = found;
  const body = await encodeMetrics(metrics, clock());
  const target = openTarget(deps.sealer, integrationId, settings);
  const result = await sendOtlp(deps.guardedFetch, target, 'metrics', body, policy.requestMs);
  await db.withScope({ integrationId }, (tx) => settle(deps, tx, schedule, settings, result));
}

async function settle(
  { clock, policy, log }: ExportDeps,
  tx: Tx,
  { integrationId, failures }: MetricSchedule,
  settings: ExportRow,
  { sent, problem, statusCode, retryAfter, isEnded }: SendResult,
): Promise<void> {
  const now = new Date(clock());
  if (isEnded) return updateMetricSchedule(tx, { integrationId, failures }, now);
  if (!sent) log.warn({ integrationId, problem }, 'metric export refused');
  const { savedAt, metricsIsFailing: wasFailing } = settings;
  const isFailing = !sent && (wasFailing || failures + 1 >= policy.failuresUntilEntry);
  const result = {
    successAt: sent ? now : null,
    failureAt: problem === null ? null : now,
    problem,
    isFailing,
  };
  // Somebody saved the settings meanwhile, which made the export due.
  if (!(await updateResult(tx, integrationId, savedAt, result, 'metrics_'))) return;
  if (isFailing && !wasFailing)
    await addLogEntry(tx, failingEntry(integrationId, settings, { problem, statusCode }, 'Metrics'));
  if (wasFailing && sent) await addLogEntry(tx, recoveredEntry(integrationId, settings, 'Metrics'));
  const waitMs = sent
    ? policy.metricsEveryMs
    : backOffMs(policy, policy.metricsEveryMs, failures, retryAfter, now.getTime());
  const next = { integrationId, failures: sent ? 0 : failures + 1 };
  await updateMetricSchedule(tx, next, new Date(now.getTime() + waitMs));
}
