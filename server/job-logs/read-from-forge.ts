import type { JobLog } from '#contract/failures/job-log.ts';
import { actAs } from '#platform/database/acting-user.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { explainFailure } from '#server/forges/explain-failure.ts';
import { refusalOf } from '#server/forges/errors.ts';
import type { Forges } from '#server/forges/port.ts';
import { addLogBytes, refuseUsedUp } from '#server/quotas/quotas.ts';
import {
  claimLog,
  endReading,
  storeParts,
  type EndOfReading,
  type LogFailure,
  type LogKey,
  type LoggedJob,
} from './job-log-store.ts';
import { forgetLogs, type LogCacheLimits } from './forget-logs.ts';
import { outlineContext } from './log-parts.ts';
import { writeLog, type WrittenLog } from './log-writer.ts';
import { Outline } from './outline.ts';

export interface ReadLogDeps extends Pick<SharedDeps, 'db' | 'sealer' | 'log' | 'clock'> {
  forges: Pick<Forges, 'ofRepository'>;
  limits: LogCacheLimits & { logBytesPerPersonPerDay: number };
}

/** Readings at once in a process, each with some MiB of memory, and those of one person. */
const mostReadings = 8;
const mostOfPerson = 2;
/** How long a request waits for the first lines. */
const firstLinesMs = 1500;
/** A log that grows is read again in steps, at most about a MiB in a second. */
const liveEveryMs = 3000;
const liveBytesPerMs = 1024;
const outlineEveryMs = 1000;

export interface LogReader {
  /**
   * Begins to read a log from the forge unless a process does. Resolves when the first lines are stored, the reading ended, or a moment
   * has passed.
   * @throws AppError `quota_exceeded`, `too_many_requests`, `forge_not_connected`
   */
  read(readerId: string, key: LogKey, job: LoggedJob, knownLines: number): Promise<void>;
}

/** Reads logs of jobs from forges into the database. */
export function makeLogReader(deps: ReadLogDeps): LogReader {
  const { db, log } = deps;
  const under = new Map<string, number>();
  let readings = 0;

  const enter = (readerId: string): (() => void) => {
    const own = under.get(readerId) ?? 0;
    if (own >= mostOfPerson || readings >= mostReadings)
      throw new AppError('too_many_requests', {
        detail: 'Other logs are being read from the forge. Try again in some seconds.',
        retryAfterSeconds: 3,
      });
    under.set(readerId, own + 1);
    readings += 1;
    return () => {
      readings -= 1;
      const left = (under.get(readerId) ?? 1) - 1;
      if (left === 0) under.delete(readerId);
      else under.set(readerId, left);
    };
  };

  return {
    read: async (readerId, key, job, knownLines) => {
      const leave = enter(readerId);
      const { integrationId } = key;
      const first = Promise.withResolvers<void>();
      try {
        await refuseUsedUp(deps, readerId);
        // The rest is no matter of the caller, who may lose their role meanwhile.
        const isClaimed = await actAs(undefined, () =>
          db.withScope({ integrationId }, (tx) => claimLog(tx, key)),
        );
        if (!isClaimed) return leave();
      } catch (error) {
        leave();
        throw error;
      }
      void actAs(undefined, () => readAndStore(deps, readerId, { key, job, knownLines }, first.resolve))
        .catch((error: unknown) => log.warn({ err: error, integrationId }, 'job log not read'))
        .finally(() => {
          leave();
          first.resolve();
        });
      const timer = setTimeout(first.resolve, firstLinesMs);
      await first.promise;
      clearTimeout(timer);
    },
  };
}

interface Reading {
  key: LogKey;
  job: LoggedJob;
  knownLines: number;
}

async function readAndStore(
  deps: ReadLogDeps,
  readerId: string,
  { key, job, knownLines }: Reading,
  onFirst: () => void,
): Promise<void> {
  const { db, sealer, forges, limits } = deps;
  const { integrationId } = key;
  const outline = new Outline(job);
  let written: Partial<WrittenLog> & { error?: unknown };
  let outlinedAt = performance.now();
  const sealOutline = () => sealer.seal(Buffer.from(JSON.stringify(outline.read())), outlineContext(key));
  try {
    const forge = await forges.ofRepository(integrationId, job.repository);
    if (forge === undefined)
      throw new AppError('forge_not_connected', {
        detail: `No forge connection of this integration covers ${job.repository}. An admin can add one in the settings.`,
      });
    written = await writeLog(
      {
        sealer,
        key,
        outline,
        knownLines,
        store: async (parts, read) => {
          const isDue = performance.now() - outlinedAt > outlineEveryMs && read.lines > knownLines;
          if (isDue) outlinedAt = performance.now();
          const sealed = isDue ? sealOutline() : undefined;
          await db.withScope({ integrationId }, (tx) =>
            storeParts(tx, key, parts, { ...read, outline: sealed }),
          );
          if (read.lines > 0) onFirst();
        },
      },
      forge.readJobLog(job.repository, key.jobId, 'whole'),
    );
  } catch (error) {
    written = { error };
  }
  const { lines = 0, bytes = 0, parts = 0 } = written;
  const end = endOf(job, written, knownLines);
  await db.withScope({ integrationId }, async (tx) => {
    const read = lines > 0 || written.error === undefined ? { lines, bytes, parts } : undefined;
    if (read !== undefined) await storeParts(tx, key, [], { lines, bytes, outline: sealOutline() });
    await endReading(tx, key, { ...end, read });
    await forgetLogs(tx, integrationId, limits);
  });
  if (bytes > 0) await addLogBytes(deps, readerId, bytes);
}

function endOf(
  job: LoggedJob,
  { lines = 0, bytes = 0, isCut, error }: Partial<WrittenLog> & { error?: unknown },
  knownLines: number,
): Omit<EndOfReading, 'read'> {
  const missing: JobLog['missing'] = isCut === true ? 'limit' : error === undefined ? null : 'end';
  const nextLive = liveEveryMs + bytes / liveBytesPerMs;
  if (error !== undefined && lines === 0) {
    const refusal = refusalOf(error);
    const isMissing = refusal === 404 || refusal === 410;
    // GitHub has the log some seconds after the job.
    if (isMissing && (!job.isOver || job.isFresh))
      return { state: 'waiting', missing: null, failure: null, freshMs: 2 * liveEveryMs };
    const state = knownLines > 0 ? 'complete' : 'waiting';
    const { failure, freshMs } = isMissing ? expired : failureOf(error);
    return { state, missing: 'end', failure: knownLines > 0 ? null : failure, freshMs };
  }
  if (!job.isOver) return { state: 'live', missing: null, failure: null, freshMs: nextLive };
  if (missing === 'end') return { state: 'complete', missing, failure: null, freshMs: minuteMs };
  return { state: 'complete', missing, failure: null, freshMs: job.isFresh ? nextLive * 3 : null };
}

const expired: { failure: LogFailure; freshMs: number } = {
  failure: { code: 'log_expired', detail: 'The forge no longer has the log of this job.' },
  freshMs: 10 * minuteMs,
};

function failureOf(error: unknown): { failure: LogFailure; freshMs: number } {
  const explained = explainFailure(error);
  if (!(explained instanceof AppError)) throw explained;
  const { code, detail, retryAfterSeconds = 15 } = explained;
  return { failure: { code, detail }, freshMs: retryAfterSeconds * 1000 };
}
