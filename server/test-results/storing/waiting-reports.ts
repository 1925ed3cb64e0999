import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { Service } from '#platform/runtime/service.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { runInThread } from '#platform/threads/run-in-thread.ts';
import { idAtForge } from '#server/runs/objects/forge-ids.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { ParseInput } from '../arrival/parse-task.ts';
import type { PreparedCases } from './prepare-report.ts';
import { findJob, findRun, insertReport } from './report-store.ts';
import type { ReceivedReport } from './report-store.ts';
import { storeReport } from './store-report.ts';
import {
  countWaiting,
  deleteReport,
  holdResults,
  listIntegrationsWaiting,
  listReady,
  listTooOld,
  waitingQuery,
  type WaitingReport,
} from './waiting-store.ts';

/** A job may upload its report before the forge's first event of the run or attempt arrives. */
const waitMs = 24 * 3_600_000;
const everyMs = 5000;

/** Of an integration. A sender with a wrong run id must not fill the disk. */
const mostWaiting = 200;

/** Binds sealed results to their report. */
export const resultsContext = (integrationId: string, reportId: string): string =>
  `test_reports ${integrationId} ${reportId}`;

/** Keeps a report until its run, attempt and job are known. Undefined if the same report is known. @throws AppError `run_unknown` */
export async function holdReport(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  report: ReceivedReport & { repository: string | undefined },
  /** Its cases. */
  packed: Uint8Array,
): Promise<string | undefined> {
  if ((await countWaiting(tx, integrationId, mostWaiting)) >= mostWaiting) {
    throw new AppError('run_unknown', {
      detail: `No event of attempt ${report.attempt} of the run ${idAtForge(report.run)}, or of its job, has arrived, and ${mostWaiting} other reports wait for theirs.`,
    });
  }
  const reportId = await insertReport(tx, integrationId, {
    ...report,
    isMassFailure: false,
    about: undefined,
  });
  if (reportId === undefined) return undefined;
  const sealed = await sealer.sealLarge(Buffer.from(packed), resultsContext(integrationId, reportId));
  await holdResults(tx, integrationId, reportId, sealed);
  return reportId;
}

/** Stores reports whose run, attempt and job have become known, and gives up those that waited for a day. */
export function makeWaitingReports({ db, log, sealer }: { db: Database; log: Log; sealer: Sealer }): Service {
  return repeat(log, 'waiting test reports', everyMs, async (signal) => {
    if (!(await db.hasRow(waitingQuery))) return;
    for (const integrationId of await db.withScope('service', listIntegrationsWaiting)) {
      const scope = { integrationId };
      for (const ready of await db.withScope(scope, (tx) => listReady(tx, integrationId))) {
        if (signal.aborted) return;
        await storeWaiting(db, sealer, ready);
      }
      const before = new Date(Date.now() - waitMs);
      for (const old of await db.withScope(scope, (tx) => listTooOld(tx, integrationId, before)))
        await giveUp(db, old);
    }
  });
}

async function storeWaiting(
  db: Database,
  sealer: Sealer,
  { integrationId, ...waiting }: WaitingReport,
): Promise<void> {
  const { reportId, suite, repositoryKey, run } = waiting;
  await db.withScope({ integrationId }, async (tx) => {
    const about = await findRun(tx, integrationId, waiting);
    if (about !== undefined && repositoryKey !== null && repositoryKey !== about.repositoryKey) {
      const title = `A test report for the run ${idAtForge(run)} was dropped, because the run belongs to another repository than its job`;
      return drop(tx, { integrationId, ...waiting }, title);
    }
    const sealed = await deleteReport(tx, integrationId, reportId);
    // Another process stored it meanwhile.
    if (about === undefined || sealed === undefined) return;
    const packed = await sealer.openLarge(sealed, resultsContext(integrationId, reportId));
    const prepared = await runInThread<ParseInput, PreparedCases>(
      new URL('../arrival/parse-task.ts', import.meta.url),
      { packed, target: { ...about, suite } },
      { lane: 'reports', owner: integrationId },
    );
    const report = { ...waiting, ...(await findJob(tx, integrationId, waiting)) };
    await storeReport(tx, sealer, integrationId, about, report, prepared);
  });
}

async function giveUp(db: Database, waiting: WaitingReport): Promise<void> {
  const { integrationId, run, attempt } = waiting;
  const title = `A test report for attempt ${attempt} of the run ${idAtForge(run)} was dropped, because no event of it arrived within a day`;
  await db.withScope({ integrationId }, (tx) => drop(tx, waiting, title));
}

async function drop(
  tx: Tx,
  { integrationId, reportId, run, attempt, suite }: WaitingReport,
  title: string,
): Promise<void> {
  if ((await deleteReport(tx, integrationId, reportId)) === undefined) return;
  await addLogEntry(tx, {
    integrationId,
    type: 'test_report.dropped',
    title,
    actorId: null,
    details: { runId: run, attempt, suite, code: 'run_unknown' },
  });
}
