import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { Hub } from '../sockets/hub.ts';
import type { RealtimePolicy } from '../policy.ts';
import { readMissed, type Comparison, type LoadUpdates } from './read-missed.ts';
import { listPositions } from '../store.ts';

export interface FollowerDeps extends Pick<SharedDeps, 'db' | 'log'> {
  hub: Hub;
  loadUpdates: LoadUpdates;
  policy: RealtimePolicy;
}

/** Keeps the hub up to date with updates of other processes. Notifications may be lost. */
export interface Follower {
  touch(integrationId: string): void;
  /** Handles a notification: `integrationId:seq` pairs, separated by commas. Ignores unknown integrations. */
  receive(payload: string): void;
  /** Compares all positions with the database, to find updates whose notification was lost. */
  compareAll(): Promise<void>;
}

export function makeFollower(deps: FollowerDeps): Follower {
  const { hub, policy, log } = deps;
  const touched = new Set<string>();
  let isReading = false;

  const touch = (integrationId: string): void => {
    touched.add(integrationId);
    if (isReading) return;
    isReading = true;
    // Read all integrations of one notification together.
    queueMicrotask(() => void readTouched());
  };

  /** Runs one read at a time. Integrations touched during a read form the next one. */
  const readTouched = async (): Promise<void> => {
    while (touched.size > 0) {
      const batch = [...touched].slice(0, policy.catchUpBatch);
      for (const integrationId of batch) touched.delete(integrationId);
      try {
        for (const integrationId of await catchUp(deps, batch)) touched.add(integrationId);
      } catch (error) {
        // The next comparison of positions finds them again.
        log.warn({ err: error, integrations: batch.length }, 'live update read failed');
      }
    }
    isReading = false;
  };

  return {
    touch,
    receive: (payload) => {
      for (const pointer of payload.split(',')) {
        const [integrationId = '', seq] = pointer.split(':');
        const stream = hub.stream(integrationId);
        if (stream !== undefined && Number(seq) > stream.lastSeq) touch(integrationId);
      }
    },
    compareAll: async () => {
      const known = hub.integrationIds;
      for (let start = 0; start < known.length; start += policy.idsPerScope) {
        for (const id of await listBehind(deps, known.slice(start, start + policy.idsPerScope))) touch(id);
      }
    },
  };
}

/** Returns the integrations whose position in the database differs from the hub's. */
async function listBehind({ db, hub }: FollowerDeps, integrationIds: readonly string[]): Promise<string[]> {
  const before = new Map(integrationIds.map((id) => [id, hub.stream(id)?.lastSeq ?? 0]));
  const rows = await db.withScope({ integrationIds }, (tx) => listPositions(tx, integrationIds));
  return rows
    .filter(({ integration_id: id, epoch, seq, removals }) => {
      const stream = hub.stream(id);
      if (stream === undefined) return false;
      const isRestarted = epoch !== stream.epoch || Number(seq) < (before.get(id) ?? 0);
      return isRestarted || Number(seq) > stream.lastSeq || Number(removals) !== stream.removals;
    })
    .map((row) => row.integration_id);
}

/** Reads and delivers missed updates. Returns the integrations that have more. */
async function catchUp(deps: FollowerDeps, integrationIds: readonly string[]): Promise<string[]> {
  const { hub, policy } = deps;
  const positions = new Map<string, number>();
  const comparisons = new Map<string, Comparison>();
  for (const integrationId of integrationIds) {
    const stream = hub.stream(integrationId);
    if (stream === undefined) continue;
    positions.set(integrationId, stream.lastSeq);
    comparisons.set(integrationId, { removals: stream.removals, userIds: stream.startComparison() });
  }
  if (positions.size === 0) return [];
  const more: string[] = [];
  const read = await readMissed(deps, positions, policy.maxReplay, comparisons);
  for (const id of positions.keys()) if (!read.has(id)) hub.revoke(id, 'everybody');
  for (const [id, missed] of read) {
    const { gone } = missed;
    const after = positions.get(id) ?? 0;
    if (missed.counter.seq - after > policy.maxCatchUp) {
      hub.catchUp(id, { after, head: missed.counter, messages: [], gone });
    } else {
      hub.catchUp(id, { after, head: missed.head, messages: missed.messages, gone });
      if (missed.isTruncated) more.push(id);
    }
  }
  return more;
}
