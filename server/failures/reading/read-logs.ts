import { backOffMs } from '#contract/base/back-off.ts';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { readFailureLog } from '#server/failures/log/read-failure-log.ts';
import { RateLimited, refusalOf } from '#server/forges/errors.ts';
import type { Forge, Forges } from '#server/forges/port.ts';
import { lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { storeReasons } from '../storing/store-reasons.ts';
import { unreadableEntry } from './unreadable-entry.ts';
import { deletePending, listDue, rescheduleReading, type DueFailure } from './reading-store.ts';

export interface ReadLogsDeps {
  db: Database;
  sealer: Sealer;
  forges: Pick<Forges, 'ofConnection'>;
  /** Pushes updates of runs and jobs after the commit. */
  publish(updates: readonly CommittedUpdate[]): void;
}

/** A task at the forge for one connection. */
export interface ReadLogsTask {
  integrationId: string;
  /** Null for the access token of the integration. */
  installationId: string | null;
  isSuspended: boolean;
  isGone: boolean;
}

const logsAtOnce = 10;
/** A forge may offer the log some seconds after the job. Each failure waits at most some minutes for its turn. */
const logBackOff = { leastMs: 10_000, firstMs: 20_000, longestMs: 10 * minuteMs };
const maxTries = 5;

/** Reads the logs of failed jobs through one connection, one after the other. Returns the delay until the next run; undefined for none. */
export async function readLogs(
  deps: ReadLogsDeps,
  task: ReadLogsTask,
  renewLease: () => Promise<void>,
): Promise<number | undefined> {
  const { db } = deps;
  const { integrationId, installationId } = task;
  if (task.isSuspended || task.isGone) return 10 * minuteMs;
  const due = await db.withScope({ integrationId }, (tx) =>
    listDue(tx, integrationId, installationId, logsAtOnce),
  );
  let forge: Promise<Forge> | undefined;
  const connect = () => (forge ??= deps.forges.ofConnection(integrationId, installationId));
  let unreadable = 0;
  for (const failure of due) {
    await renewLease();
    if ((await readOne(deps, integrationId, connect, failure)) === 'unreadable') unreadable += 1;
  }
  if (unreadable > 0)
    await db.withScope({ integrationId }, (tx) =>
      addLogEntry(tx, unreadableEntry(integrationId, unreadable)),
    );
  return due.length === logsAtOnce ? 0 : undefined;
}

type Outcome = 'done' | 'later' | 'unreadable';

/** @throws what concerns all failures of the connection: a rate limit, or a forge that fails or does not answer */
async function readOne(
  deps: ReadLogsDeps,
  integrationId: string,
  connect: () => Promise<Forge>,
  failure: DueFailure,
): Promise<Outcome> {
  const { db } = deps;
  try {
    await store(deps, integrationId, failure, await readLog(await connect(), failure));
    return 'done';
  } catch (error) {
    if (error instanceof RateLimited) throw error;
    const refusal = refusalOf(error);
    const isFinal = failure.tries + 1 >= maxTries || refusal === 410;
    if (isFinal) {
      await store(deps, integrationId, failure, 'unreadable');
      return 'unreadable';
    }
    await db.withScope({ integrationId }, (tx) =>
      rescheduleReading(tx, integrationId, failure, backOffMs(logBackOff, failure.tries)),
    );
    // The log may not be offered yet. Any other failure concerns the whole forge, so the others wait as well.
    if (refusal === undefined) throw error;
    return 'later';
  }
}

async function readLog(forge: Forge, { repository, jobId, steps }: DueFailure): Promise<FailureReason> {
  // Annotations need a permission of their own, and the log tells without them.
  const annotations = await forge.listAnnotations(repository, jobId).catch((error: unknown) => {
    if (refusalOf(error) === undefined) throw error;
    return [];
  });
  return readFailureLog(forge.readJobLog(repository, jobId), { steps, annotations });
}

async function store(
  { db, sealer, publish }: ReadLogsDeps,
  integrationId: string,
  failure: DueFailure,
  log: FailureReason | 'unreadable',
): Promise<void> {
  const updates = await db.withScope({ integrationId }, async (tx) => {
    await lockStreams(tx, [integrationId]);
    if (!(await deletePending(tx, integrationId, failure))) return [];
    return storeReasons(tx, sealer, integrationId, [{ ...failure, log }]);
  });
  publish(updates);
}
