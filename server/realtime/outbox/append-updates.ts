import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import type { Tx } from '#platform/database/database.ts';
import { channel } from './channel.ts';
import { appendPointers, lockStreamRows, skipUpdate, type NewPointer } from '../store.ts';

/** A run or job as it is after the event that changed it. */
export type LiveUpdate =
  | { type: 'workflow_run'; data: WorkflowRun }
  | { type: 'workflow_job'; data: WorkflowJob };

/**
 * The number of members that were removed from the integration before the update was committed. A symbol keeps it out of the JSON
 * for clients.
 */
export const removals = Symbol('removals');

export interface CommittedUpdate extends UpdateMessage {
  [removals]: number;
}

/**
 * Must be the first statement of a transaction that writes events: the transaction becomes the only writer of these
 * integrations, so that updates are numbered in commit order. Returns the start of the transaction by the database's
 * clock; undefined when none of the integrations exists.
 */
export async function lockStreams(tx: Tx, integrationIds: readonly string[]): Promise<number | undefined> {
  return integrationIds.length > 0 ? lockStreamRows(tx, integrationIds) : undefined;
}

/**
 * Numbers the updates and writes pointers to them, inside the transaction that stored them. Returns the messages to push after
 * the commit, in the given order, without those of deleted integrations. `touched` lists every integration that was written to.
 */
export async function appendUpdates(
  tx: Tx,
  updates: readonly LiveUpdate[],
  touched: readonly string[],
): Promise<CommittedUpdate[]> {
  if (touched.length === 0) return [];
  const counts = new Map(touched.map((integrationId) => [integrationId, 0]));
  const pointers = updates.map((update) => pointerTo(update, counts));
  const rows = await appendPointers(tx, counts, pointers);
  const streams = new Map(rows.map((row) => [row.integration_id, row]));
  return updates.flatMap(({ type, data }, index): CommittedUpdate[] => {
    const [stream, pointer] = [streams.get(data.integrationId), pointers[index]];
    if (stream === undefined || pointer === undefined) return [];
    return [
      {
        v: 1,
        type,
        integrationId: data.integrationId,
        epoch: stream.epoch,
        seq: Number(stream.base) + pointer.ordinal,
        at: stream.at.toISOString(),
        data,
        [removals]: Number(stream.removals),
      },
    ];
  });
}

function pointerTo({ type, data }: LiveUpdate, counts: Map<string, number>): NewPointer {
  const { integrationId, runId, attempt } = data;
  const ordinal = (counts.get(integrationId) ?? 0) + 1;
  counts.set(integrationId, ordinal);
  return { integrationId, type, runId, attempt, jobId: 'jobId' in data ? data.jobId : null, ordinal };
}

/** Open screens read everything again after the commit. For changes that no update describes, such as removed runs. */
export async function announceResync(tx: Tx, integrationId: string): Promise<void> {
  await skipUpdate(tx, integrationId, channel);
}
