import type { Database, Tx } from '#platform/database/database.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import type { Task, TurnEnd } from '#server/tasks/task.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ExportPolicy } from '../policy.ts';
import { findExport, updateResult, type ExportRow } from '../settings-store.ts';
import { openTarget } from '../target.ts';
import { encodeTraces } from '../traces/encode-traces.ts';
import type { TracePart } from '../traces/finished-run.ts';
import { droppedEntry, failingEntry, recoveredEntry } from './log-entries.ts';
import { nextStep } from './next-step.ts';
import {
  advanceWaiting,
  deleteSent,
  deleteWaiting,
  dropWaiting,
  findNextDue,
  takeWaiting,
} from './queue-store.ts';
import { readParts, type PartOfRun } from './run-store.ts';
import { sendOtlp, type SendResult } from './send-otlp.ts';

export interface ExportDeps {
  db: Database;
  log: Log;
  clock: Clock;
  policy: ExportPolicy;
  sealer: Sealer;
  guardedFetch: Pick<GuardedFetch, 'request'>;
}

/** Sends one request with runs of an integration. */
export async function exportRuns(
  deps: ExportDeps,
  { integrationId }: Task,
  ending: AbortSignal,
): Promise<TurnEnd> {
  const { db } = deps;
  const found = await db.withScope({ integrationId }, (tx) => readNext(deps, tx, integrationId));
  if (found === 'done' || 'again' in found) return found;
  const { settings, parts } = found;
  const traces = parts.flatMap(({ part }) => (part === undefined || isEmpty(part) ? [] : [part]));
  if (traces.length === 0) {
    await db.withScope({ integrationId }, (tx) => forgetSent(tx, parts));
    return { again: 0 };
  }
  const body = await encodeTraces(traces);
  const target = openTarget(deps.sealer, integrationId, settings);
  const { requestMs } = deps.policy;
  const result = await sendOtlp(deps.guardedFetch, target, 'traces', body, requestMs, ending);
  // It was not the target that ended the request.
  if (!result.sent) ending.throwIfAborted();
  return db.withScope({ integrationId }, (tx) => settle(deps, tx, integrationId, settings, parts, result));
}

function isEmpty({ run, hasRunSpan, jobs }: TracePart): boolean {
  return jobs.length === 0 && (!hasRunSpan || run.completedAt === null);
}

async function readNext(
  { clock, policy }: ExportDeps,
  tx: Tx,
  integrationId: string,
): Promise<(TurnEnd & object) | 'done' | { settings: ExportRow; parts: PartOfRun[] }> {
  const now = clock();
  const settings = await findExport(tx, integrationId);
  if (settings?.enabled !== true) return 'done';
  const { dueAt, failures, lastProblem } = settings;
  if (Number(dueAt) > now) return { again: Number(dueAt) - now, error: failures > 0 ? lastProblem : null };
  if (failures > 0) {
    const dropped = await dropWaiting(tx, integrationId, new Date(now - policy.keepMs), policy.maxWaiting);
    if (dropped > 0)
      await addLogEntry(tx, droppedEntry(integrationId, dropped, 'the target refused requests for too long'));
  }
  const times = {
    now: new Date(now),
    impatientSince: new Date(now - policy.awaitJobsMs),
    checkAgainAt: new Date(now + policy.checkJobsEveryMs),
  };
  const waiting = await takeWaiting(tx, integrationId, times, settings.atMost);
  if (waiting.length === 0) {
    const next = await findNextDue(tx, integrationId);
    return next === undefined ? 'done' : { again: Math.max(0, Number(next) - now) };
  }
  const limits = { jobs: policy.jobsPerRequest, stepBytes: policy.stepBytesPerRequest };
  const [names, parts] = await Promise.all([
    readShownNames(tx, [integrationId]),
    readParts(tx, integrationId, waiting, limits),
  ]);
  return {
    settings,
    parts: parts.map(({ part, ...rest }) => ({ ...rest, part: names.show(integrationId, part) })),
  };
}

async function settle(
  { clock, policy, log }: ExportDeps,
  tx: Tx,
  integrationId: string,
  settings: ExportRow,
  parts: readonly PartOfRun[],
  result: SendResult,
): Promise<TurnEnd> {
  const now = new Date(clock());
  const { savedAt, lastSuccessAt, lastFailureAt, isFailing, failures, atMost } = settings;
  const wasAccepted = lastSuccessAt !== null && (lastFailureAt === null || lastSuccessAt > lastFailureAt);
  const attempt = { failures, atMost, now: now.getTime(), runs: parts.length, wasAccepted };
  const next = nextStep(policy, result, attempt);
  if (next.runs === 'sent') await forgetSent(tx, parts);
  if (next.runs === 'drop') {
    await deleteWaiting(
      tx,
      parts.map(({ waiting }) => waiting.entryId),
    );
    const why = `the target refused it with the status ${String(result.statusCode)}`;
    await addLogEntry(tx, droppedEntry(integrationId, 1, why));
  }
  if (!result.sent) log.warn({ integrationId, problem: result.problem }, 'trace export refused');
  const mustTell = next.runs === 'keep' && next.failures >= policy.failuresUntilEntry;
  const isKnown = await updateResult(tx, integrationId, savedAt, {
    successAt: next.runs === 'sent' ? now : null,
    failureAt: next.runs === 'split' || result.problem === null ? null : now,
    problem: result.problem,
    isFailing: next.runs === 'sent' ? false : isFailing || mustTell,
    dueAt: new Date(next.dueAt),
    failures: next.failures,
    atMost: next.atMost,
  });
  // Somebody saved the settings meanwhile.
  if (!isKnown) return { again: 0 };
  if (isFailing && next.runs === 'sent') await addLogEntry(tx, recoveredEntry(integrationId, settings));
  if (!isFailing && mustTell) await addLogEntry(tx, failingEntry(integrationId, settings, result));
  return { again: next.dueAt - now.getTime(), error: next.failures > 0 ? result.problem : null };
}

async function forgetSent(tx: Tx, parts: readonly PartOfRun[]): Promise<void> {
  const whole = parts.filter(({ continuesAfter }) => continuesAfter === undefined);
  await deleteSent(
    tx,
    whole.map(({ waiting }) => waiting),
  );
  for (const { waiting, continuesAfter } of parts)
    if (continuesAfter !== undefined) await advanceWaiting(tx, waiting, continuesAfter);
}
