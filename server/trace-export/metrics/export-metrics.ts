import type { Tx } from '#platform/database/database.ts';
import type { Task, TurnEnd } from '#server/tasks/task.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ExportDeps } from '../sending/export-runs.ts';
import { failingEntry, recoveredEntry } from '../sending/log-entries.ts';
import { backOffMs } from '../sending/next-step.ts';
import { sendOtlp, type SendResult } from '../sending/send-otlp.ts';
import { findExport, updateResult, type ExportRow } from '../settings-store.ts';
import { openTarget } from '../target.ts';
import { encodeMetrics } from './encode-metrics.ts';
import { readMetrics } from './read-metrics.ts';

/** Sends the present metrics of an integration. A request that fails needs no repetition: counters are sums. */
export async function exportMetrics(
  deps: ExportDeps,
  { integrationId }: Task,
  ending: AbortSignal,
): Promise<TurnEnd> {
  const { db, clock, policy } = deps;
  const settings = await db.withScope({ integrationId }, (tx) => findExport(tx, integrationId));
  if (settings?.enabled !== true || !settings.metrics) return 'done';
  const { metricsDueAt, metricsFailures, metricsLastProblem } = settings;
  const waitMs = Number(metricsDueAt) - clock();
  if (waitMs > 0) return { again: waitMs, error: metricsFailures > 0 ? metricsLastProblem : null };
  const metrics = await db.withScope({ integrationId }, (tx) => readMetrics(tx, integrationId));
  const body = await encodeMetrics(metrics, clock());
  const target = openTarget(deps.sealer, integrationId, settings);
  const result = await sendOtlp(deps.guardedFetch, target, 'metrics', body, policy.requestMs, ending);
  // It was not the target that ended the request.
  if (!result.sent) ending.throwIfAborted();
  return db.withScope({ integrationId }, (tx) => settle(deps, tx, integrationId, settings, result));
}

async function settle(
  { clock, policy, log }: ExportDeps,
  tx: Tx,
  integrationId: string,
  settings: ExportRow,
  { sent, problem, statusCode, retryAfter }: SendResult,
): Promise<TurnEnd> {
  const now = new Date(clock());
  if (!sent) log.warn({ integrationId, problem }, 'metric export refused');
  const { savedAt, metricsIsFailing: wasFailing, metricsFailures: failures } = settings;
  const isFailing = !sent && (wasFailing || failures + 1 >= policy.failuresUntilEntry);
  const waitMs = sent
    ? policy.metricsEveryMs
    : backOffMs(policy, policy.metricsEveryMs, failures, retryAfter, now.getTime());
  const result = {
    successAt: sent ? now : null,
    failureAt: problem === null ? null : now,
    problem,
    isFailing,
    dueAt: new Date(now.getTime() + waitMs),
    failures: sent ? 0 : failures + 1,
  };
  // Somebody saved the settings meanwhile.
  if (!(await updateResult(tx, integrationId, savedAt, result, 'metrics_'))) return { again: 0 };
  if (isFailing && !wasFailing)
    await addLogEntry(tx, failingEntry(integrationId, settings, { problem, statusCode }, 'Metrics'));
  if (wasFailing && sent) await addLogEntry(tx, recoveredEntry(integrationId, settings, 'Metrics'));
  return { again: waitMs, error: sent ? null : problem };
}
