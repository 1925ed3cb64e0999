import { createHash } from 'node:crypto';
import type { TestReportQuery, TestReportReceipt } from '#contract/tests/tests.ts';
import type { DiskGuard } from '#platform/database/disk-guard.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { runInThread } from '#platform/threads/run-in-thread.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import { storedId } from '#server/runs/objects/forge-ids.ts';
import { RepeatedResults } from '../parsing/parse-artifact.ts';
import { reportLimits, reportName } from '../parsing/case-collector.ts';
import {
  findJob,
  findOtherWay,
  findPlace,
  findReport,
  findRun,
  hasSeveralForges,
  idOfGithub,
  type RunOfReport,
} from '../storing/report-store.ts';
import type { PreparedCases } from '../storing/prepare-report.ts';
import { storeReport } from '../storing/store-report.ts';
import { holdReport } from '../storing/waiting-reports.ts';
import { isAwaited } from '../storing/waiting-store.ts';
import type { ParseInput, ParseResult, ReadReport } from './parse-task.ts';

export interface ReceiveDeps {
  db: Database;
  sealer: Sealer;
  quotas: Quotas;
  disk: Pick<DiskGuard, 'requireSpace' | 'refusalFor'>;
}

/** Reports of an integration that are read at the same time. Others are asked to come again, so that they do not delay other integrations. */
const mostAtOnce = 4;

export type ReceiveReport = (
  integrationId: string,
  query: TestReportQuery,
  /** It is empty afterwards. */
  bytes: Buffer,
  sent?: {
    /** The repository that the run must belong to. */
    repository?: string;
    /** The place of the forge, if it is known already. */
    place?: number;
    /** Of an artifact, which may be an archive of reports. */
    artifacts?: ArtifactsOfAttempt;
  },
) => Promise<TestReportReceipt>;

/** The artifacts of an attempt that were read so far. Each one that is stored adds its results. */
export interface ArtifactsOfAttempt {
  knownResults: Uint8Array;
}

/**
 * Takes a report of tests. It is stored at once if its run, attempt and job are known, and waits for them otherwise.
 * @throws RepeatedResults, AppError `report_unreadable`, `report_too_large`, `run_unknown`, `too_many_requests`, `quota_exceeded`,
 * `storage_full`
 */
export function makeReceiveReport({ db, sealer, quotas, disk }: ReceiveDeps): ReceiveReport {
  const reading = new Map<string, number>();
  return async (integrationId, query, bytes, { repository, place, artifacts } = {}) => {
    const others = reading.get(integrationId) ?? 0;
    if (others >= mostAtOnce) {
      throw new AppError('too_many_requests', {
        detail: `This integration has ${others} test reports in progress. Send this one again in a few seconds.`,
        retryAfterSeconds: 5,
      });
    }
    reading.set(integrationId, others + 1);
    let taken = 0;
    const correct = (size: number): void => {
      quotas.correct(integrationId, { bytes: size - taken, events: 0 });
      taken = size;
    };
    try {
      disk.requireSpace();
      await quotas.take(integrationId, { bytes: bytes.length, events: 0 });
      taken = bytes.length;
      const scope = { integrationId };
      const key = keyOf(query, place ?? (await placeOf(db, integrationId, query.forge)));
      const [found, waits] = await db.withScope(scope, (tx) =>
        Promise.all([findRun(tx, integrationId, key), isAwaited(tx, integrationId, key)]),
      );
      if (found !== undefined && repository !== undefined && found.repository !== repository)
        throw new AppError('run_unknown', { detail: `The run ${query.run} belongs to another repository.` });
      const target = found && !waits ? { ...found, suite: key.suite } : undefined;
      const read = await readInThread(integrationId, { bytes, ...artifacts, target });
      correct(read.size);
      const isArtifact = artifacts !== undefined;
      const receipt = await db.withScope(scope, (tx) =>
        store(tx, sealer, integrationId, { ...key, repository, isArtifact, about: found }, read),
      );
      if (artifacts && read.knownResults) artifacts.knownResults = read.knownResults;
      return receipt;
    } catch (error) {
      correct(0);
      throw disk.refusalFor(error) ?? error;
    } finally {
      const left = (reading.get(integrationId) ?? 1) - 1;
      if (left === 0) reading.delete(integrationId);
      else reading.set(integrationId, left);
    }
  };
}

function keyOf({ run, attempt = 1, job: given = '', suite = '' }: TestReportQuery, place: number) {
  const job = reportName(given, 200) ?? '';
  return {
    run: storedId(run, place),
    attempt,
    job: idOfGithub.test(job) ? String(storedId(Number(job), place)) : job,
    suite: reportName(suite, 100) ?? '',
  };
}

/** The place of the forge of a run. A single forge may be known by another address. @throws AppError `invalid_request`, `run_unknown` */
async function placeOf(db: Database, integrationId: string, forge: string | undefined): Promise<number> {
  if (forge === undefined) return 0;
  const host = URL.parse(forge)?.host;
  if (!host) throw invalidField('forge', 'must be the address of the forge, such as https://github.com');
  return db.withScope({ integrationId }, async (tx) => {
    const place = await findPlace(tx, integrationId, host);
    if (place !== undefined) return place;
    if (!(await hasSeveralForges(tx, integrationId))) return 0;
    throw new AppError('run_unknown', { detail: `No webhook of ${host} has arrived.` });
  });
}

/** The same content for another job is another report. */
function hashOf({ run, attempt, job, suite }: ReturnType<typeof keyOf>, digest: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([run, attempt, job, suite, digest]))
    .digest();
}

async function readInThread(
  integrationId: string,
  input: ParseInput & { bytes: Uint8Array },
): Promise<ReadReport> {
  const { buffer, byteLength } = input.bytes;
  // A small one is a piece of a pool.
  const transfer = buffer.byteLength === byteLength ? [buffer] : [];
  const result = await runInThread<ParseInput, ParseResult>(
    new URL('parse-task.ts', import.meta.url),
    input,
    { lane: 'reports', owner: integrationId, transfer },
  );
  if ('digest' in result) return result;
  if ('repeated' in result) throw new RepeatedResults();
  if ('unreadable' in result) throw new AppError('report_unreadable', { detail: result.unreadable });
  throw new AppError('report_too_large', {
    detail: `The report has more than ${reportLimits.unpackedBytes / 1024 / 1024} MiB after unpacking. Split it by suite.`,
  });
}

async function store(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  {
    about,
    ...key
  }: ReturnType<typeof keyOf> & {
    repository: string | undefined;
    isArtifact: boolean;
    about: RunOfReport | undefined;
  },
  read: ReadReport,
): Promise<TestReportReceipt> {
  const { format, faults, totals, packed } = read;
  const content = { format, faults, totals, hash: hashOf(key, read.digest) };
  const { tests, failed, skipped, flaky } = totals;
  const receipt = { format, tests, failed, skipped, flaky, faults };
  const findOther = async () => about && (await findOtherWay(tx, integrationId, key, about));
  const isHeld = about === undefined || packed !== undefined;
  const reportId = !isHeld
    ? await storeReport(
        tx,
        sealer,
        integrationId,
        about,
        { ...key, ...(await findJob(tx, integrationId, key)), ...content },
        read as PreparedCases,
      )
    : (await findOther()) === undefined
      ? await holdReport(tx, sealer, integrationId, { ...key, ...content, jobId: null }, packed!)
      : undefined;
  if (reportId !== undefined) return { ...receipt, reportId, status: isHeld ? 'waiting' : 'stored' };
  const same = await findReport(tx, integrationId, content.hash);
  if (same !== undefined)
    return { ...receipt, reportId: same.reportId, status: same.isWaiting ? 'waiting' : 'known' };
  const other = await findOther();
  return { ...receipt, reportId: other!.reportId, status: 'known', faults: [...faults, leftOut] };
}

const leftOut =
  'The results of this attempt were read from its artifacts before, so this report is left out. Choose which names of artifacts are read in Settings, Test reports.';
