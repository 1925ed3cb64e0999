import type { Database, Tx } from '#platform/database/database.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ExportPolicy } from '../policy.ts';
import { findExport, updateResult, type ExportRow } from '../settings-store.ts';
import { openTarget } from '../target.ts';
import { encodeTraces } from '../traces/encode-traces.ts';
import type { TracePart } from '../traces/finished-run.ts';
import { droppedEntry, failingEntry, recoveredEntry } from './log-entries.ts';
import { nextStep, type NextStep } from './next-step.ts';
import {
  advanceWaiting,
  deleteSent,
  deleteWaiting,
  dropWaiting,
  takeWaiting,
  updateSchedule,
  type Schedule,
} from './queue-store.ts';
import { readParts, type PartOfRun } from './run-store.ts';
import { sendOtlp, type SendResult } from './send-otlp.ts';

export interface ExportDeps {
  db: Database;
  log: Log;
  clock: Clock;
  policy: ExportPolicy;
  sealer: Sealer;
  guardedFetch: Pick<GuardedFetch, 'request' | 'dispose'>;
}

/** Sends one request with runs of an integration whose schedule is leased. */
export async function exportRuns(deps: ExportDeps, schedule: Schedule): Promise<void> {
  const { db, clock } = deps;
  const { integrationId } = schedule;
  const found = await db.withScope({ integrationId }, (tx) => readNext(deps, tx, schedule));
  if (found === undefined) return;
  const { settings, parts } = found;
  const traces = parts.flatMap(({ part }) => (part === undefined || isEmpty(part) ? [] : [part]));
  if (traces.length === 0) {
    return db.withScope({ integrationId }, async (tx) => {
      await forgetSent(tx, parts);
      await updateSchedule(tx, schedule, new Date(clock()));
    });
  }
  const body = await encodeTraces(traces);
  const target = openTarget(deps.sealer, integrationId, settings);
  const result = await sendOtlp(deps.guardedFetch, target, 'traces', body, deps.policy.requestMs);
  await db.withScope({ integrationId }, (tx) => settle(deps, tx, schedule, settings, parts, result));
}

function isEmpty({ run, hasRunSpan, jobs }: TracePart): boolean {
  return jobs.length === 0 && (!hasRunSpan || run.completedAt === null);
}

async function readNext(
  { clock, policy }: ExportDeps,
  tx: Tx,
  { integrationId, failures, atMost }: Schedule,
): Promise<{ settings: ExportRow; parts: PartOfRun[] } | undefined> {
  const now = clock();
  const settings = await findExport(tx, integrationId);
  if (settings === undefined) return undefined;
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
  const waiting = await takeWaiting(tx, integrationId, times, atMost);
  const limits = { jobs: policy.jobsPerRequest, stepBytes: policy.stepBytesPerRequest };
  return { settings, parts: await readParts(tx, integrationId, waiting, limits) };
}

async function settle(
  { clock, policy, log }: ExportDeps,
  tx: Tx,
  schedule: Schedule,
  settings: ExportRow,
  parts: readonly PartOfRun[],
  result: SendResult,
): Promise<void> {
  const { integrationId } = schedule;
  const now = new Date(clock());
  if (result.isEnded) return updateSchedule(tx, schedule, now);
  const { savedAt, lastSuccessAt, lastFailureAt, isFailing } = settings;
  const wasAccepted = lastSuccessAt !== null && (lastFailureAt === null || lastSuccessAt > lastFailureAt);
  const attempt = { ...schedule, now: now.getTime(), runs: parts.length, wasAccepted };
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
  });
  // Somebody saved the settings meanwhile, which made the export due.
  if (!isKnown) return;
  if (isFailing && next.runs === 'sent') await addLogEntry(tx, recoveredEntry(integrationId, settings));
  if (!isFailing && mustTell) await addLogEntry(tx, failingEntry(integrationId, settings, result));
  await updateSchedule(tx, scheduleOf(integrationId, next), new Date(next.dueAt));
}

function scheduleOf(integrationId: string, { failures, atMost }: NextStep): Schedule {
  return { integrationId, failures, atMost };
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
