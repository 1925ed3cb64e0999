import type { Tx } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { deleteBranchStates, deleteIncidents, lockEvaluation } from './delete-incidents-store.ts';
import {
  deleteFailureGroups,
  deleteLogEntries,
  deletePullRequests,
  deleteRollups,
  deleteNames,
  deleteRuns,
  deleteTests,
  type Portion,
} from './delete-rows-store.ts';
import {
  announceDeleted,
  anyRemoval,
  deleteDeadLetters,
  endRemoval,
  listRemovals,
  type Removal,
} from './removal-store.ts';
import { lockStream } from './sample-data-store.ts';

export interface DeleteSamplesDeps extends Pick<SharedDeps, 'db' | 'log'> {
  /** Deletes some processed deliveries of removed sample data. Returns 0 when there are no more. */
  deleteMessages(tx: Tx): Promise<number>;
  /** Lets open screens read everything again after the commit. */
  announceResync(tx: Tx, integrationId: string): Promise<void>;
  /** Rows per table and transaction. */
  rowsAtOnce?: number;
  everyMs?: number;
}

const everyMs = 2_000;

/** A transaction takes tens of milliseconds, so batches of events hardly wait. */
const rowsAtOnce = 500;

type Step = (tx: Tx, portion: Portion) => Promise<number>;

/** Runs first: what is derived from them cannot come back then. */
const steps: readonly { lock: (tx: Tx, integrationId: string) => Promise<void>; step: Step }[] = [
  ...[
    deleteRuns,
    deletePullRequests,
    deleteFailureGroups,
    deleteTests,
    deleteNames,
    deleteRollups,
    deleteLogEntries,
  ].map((step) => ({ lock: lockStream, step })),
  ...[deleteIncidents, deleteBranchStates].map((step) => ({ lock: lockEvaluation, step })),
];

/**
 * Deletes removed sample data in short transactions. Several processes may do it at once, and a process that starts continues what
 * another one left.
 */
export function makeSampleRemoval(deps: DeleteSamplesDeps): Service {
  const { db, log } = deps;
  return repeat(log, 'removal of sample data', deps.everyMs ?? everyMs, async (signal) => {
    if (!(await db.hasRow(anyRemoval))) return;
    for (const removal of await db.withScope('service', listRemovals))
      await deleteSamples(deps, removal, signal).catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ err: error, ...removal }, 'removal of sample data failed, will retry');
      });
  });
}

async function deleteSamples(
  deps: DeleteSamplesDeps,
  { integrationId, hasRows }: Removal,
  signal: AbortSignal,
): Promise<void> {
  const { db, deleteMessages, announceResync } = deps;
  const portion = { integrationId, most: deps.rowsAtOnce ?? rowsAtOnce };
  let rows = 0;
  const untilNone = async (work: (tx: Tx) => Promise<number>): Promise<void> => {
    for (let more = 1; more > 0 && !signal.aborted; rows += more)
      more = await db.withScope({ integrationId }, work);
  };
  for (const { lock, step } of hasRows ? steps : [])
    await untilNone(async (tx) => {
      await lock(tx, integrationId);
      return step(tx, portion);
    });
  await untilNone(deleteMessages);
  await untilNone((tx) => deleteDeadLetters(tx, portion.most));
  if (signal.aborted) return;
  const isDone = await db.withScope({ integrationId }, async (tx) => {
    await lockStream(tx, integrationId);
    if (!(await endRemoval(tx, integrationId))) return false;
    await announceResync(tx, integrationId);
    await announceDeleted(tx, integrationId);
    return true;
  });
  if (isDone) deps.log.info({ integrationId, rows }, 'sample data removed');
}
