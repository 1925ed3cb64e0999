import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { failedSteps } from '#server/failures/log/failed-job.ts';
import { saysOutOfTime } from '#server/failures/log/errors/infrastructure.ts';
import { readFailureLog } from '#server/failures/log/read-failure-log.ts';
import { RateLimited, refusalOf } from '#server/forges/errors.ts';
import type { Connection } from '#server/forge-tasks/task-kind.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import { TurnEnded, type Turn } from '#server/tasks/task.ts';
import type { PendingFailure } from '../storing/pending-store.ts';
import { deletePending, listDue, type DueFailure } from './reading-store.ts';
import { isLast, retryLater, storeRead, type ReadReason, type StoreReadDeps } from './store-read.ts';
import { unreadableEntry } from './unreadable-entry.ts';

export interface ReadLogsDeps extends StoreReadDeps {
  forges: Pick<Forges, 'ofConnection' | 'keepPlace'>;
  /** Stores that a cancelled job has run out of time. False when it is not cancelled. */
  recordTimeout(integrationId: string, job: PendingFailure): Promise<boolean>;
}

const logsAtOnce = 50;
/** Logs that are read within this time are one background call, and their reasons one transaction. */
const storeEveryMs = 200;

/** Reads the logs of failed jobs through one connection, one after the other. Returns the delay until the next turn; undefined for none. */
export async function readLogs(
  deps: ReadLogsDeps,
  task: Connection,
  turn: Turn,
): Promise<number | undefined> {
  const { db } = deps;
  const { integrationId, installationId } = task;
  const due = await db.withScope({ integrationId }, (tx) =>
    listDue(tx, integrationId, installationId, logsAtOnce),
  );
  let forge: Promise<Forge> | undefined;
  const connect = () => (forge ??= deps.forges.ofConnection(integrationId, installationId));
  const reading: Reading = { waiting: [...due], unreadable: 0, connect, signal: turn.signal };
  try {
    do await readSome(deps, task, reading);
    while (reading.waiting.length > 0 && !turn.isLong());
  } finally {
    const { unreadable } = reading;
    if (unreadable > 0)
      await db.withScope({ integrationId }, (tx) =>
        addLogEntry(tx, unreadableEntry(integrationId, unreadable)),
      );
  }
  return due.length === logsAtOnce || reading.waiting.length > 0 ? 0 : undefined;
}

interface Reading {
  waiting: DueFailure[];
  /** How many logs were given up. */
  unreadable: number;
  connect(): Promise<Forge>;
  signal: AbortSignal;
}

/** Takes failures from `waiting` for a moment and stores their reasons, also of those that were read before the forge failed. */
async function readSome(
  deps: ReadLogsDeps,
  { integrationId, installationId }: Connection,
  reading: Reading,
): Promise<void> {
  const read: ReadReason[] = [];
  try {
    const leave = deps.forges.keepPlace(integrationId, installationId);
    try {
      await readForAMoment(deps, integrationId, reading, read);
    } finally {
      await leave();
    }
  } finally {
    reading.unreadable += await storeRead(deps, integrationId, read);
  }
}

async function readForAMoment(
  deps: ReadLogsDeps,
  integrationId: string,
  { waiting, connect, signal }: Reading,
  read: ReadReason[],
): Promise<void> {
  const until = performance.now() + storeEveryMs;
  while (performance.now() < until) {
    const failure = waiting.shift();
    if (failure === undefined) break;
    const log = await readOne(deps, integrationId, { connect, signal }, failure);
    if (log !== 'later' && log !== 'settled') read.push({ ...failure, log });
  }
}

/** @throws what concerns all failures of the connection: a rate limit, or a forge that fails or does not answer */
async function readOne(
  deps: ReadLogsDeps,
  integrationId: string,
  { connect, signal }: Pick<Reading, 'connect' | 'signal'>,
  failure: DueFailure,
): Promise<FailureReason | 'unreadable' | 'later' | 'settled'> {
  const { db } = deps;
  try {
    if (failure.isCancelled) return await readCancelled(deps, integrationId, await connect(), failure);
    const log = await readLog(await connect(), failure);
    // The rest of a log that was interrupted for others is read later. What arrived in a whole turn is used.
    if (isInterrupted(signal)) throw signal.reason;
    return log;
  } catch (error) {
    if (error instanceof RateLimited || isInterrupted(signal)) throw error;
    const refusal = refusalOf(error);
    if (refusal === 410 || !(await retryLater(db, integrationId, failure)))
      return failure.isCancelled ? dropCancelled(deps, integrationId, failure) : 'unreadable';
    // The log may not be offered yet. Any other failure concerns the whole forge, so the others wait as well.
    if (refusal === undefined) throw error;
    return 'later';
  }
}

/** Only the annotations of a cancelled job are read. They tell whether it ran out of time, and not why a person ended it. */
async function readCancelled(
  deps: ReadLogsDeps,
  integrationId: string,
  forge: Forge,
  failure: DueFailure,
): Promise<'settled'> {
  const annotations = await forge.listAnnotations(failure.repository, failure.jobId);
  // The failure that this stores takes the place of the cancelled job, and its log is read next.
  const isStored = annotations.some(saysOutOfTime) && (await deps.recordTimeout(integrationId, failure));
  return isStored ? 'settled' : dropCancelled(deps, integrationId, failure);
}

async function dropCancelled(
  { db }: ReadLogsDeps,
  integrationId: string,
  failure: DueFailure,
): Promise<'settled'> {
  await db.withScope({ integrationId }, (tx) => deletePending(tx, integrationId, [failure]));
  return 'settled';
}

function isInterrupted({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof TurnEnded && reason.reason === 'too-long');
}

async function* noLog(): AsyncGenerator<Uint8Array> {}

async function readLog(
  forge: Forge,
  { repository, jobId, steps, tries }: DueFailure,
): Promise<FailureReason> {
  const isLastTry = isLast(tries);
  // Annotations need a permission of their own, and the log tells without them.
  const annotations = await forge.listAnnotations(repository, jobId).catch((error: unknown) => {
    if (refusalOf(error) === undefined) throw error;
    return [];
  });
  const job = { steps, annotations };
  try {
    return await readFailureLog(forge.readJobLog(repository, jobId), job);
  } catch (error) {
    const told = await readFailureLog(noLog(), job);
    // The log may be offered later. A machine that failed leaves none, and its annotation says all.
    const isAll = told.infrastructure !== null || failedSteps(job).length === 0 || isLastTry;
    if (refusalOf(error) === undefined || told.subject === null || !isAll) throw error;
    return told;
  }
}
