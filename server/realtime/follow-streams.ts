import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Hub } from './sockets/hub.ts';
import type { RealtimePolicy } from './policy.ts';
import { readMissed, type Comparison, type LoadUpdates } from './read-missed.ts';
import { listPositions } from './store.ts';

export interface FollowerDeps {
  db: Database;
  hub: Hub;
  loadUpdates: LoadUpdates;
  log: Log;
  policy: RealtimePolicy;
}

/** Keeps the hub up to date with what other processes store, from hints that may be lost. */
export interface Follower {
  /** There may be updates that the hub has not seen. */
  touch(integrationId: string): void;
  /** A notification: `integrationId:seq`, several joined by commas. What it does not know it leaves alone. */
  receive(payload: string): void;
  /** Compares all counters with the database, whatever was announced. */
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
    // After this turn, so that all that one notification names is read together.
    queueMicrotask(() => void readTouched());
  };

  /** One read at a time: what is touched meanwhile goes together into the next. */
  const readTouched = async (): Promise<void> => {
    while (touched.size > 0) {
      const batch = [...touched].slice(0, policy.catchUpBatch);
      for (const integrationId of batch) touched.delete(integrationId);
      try {
        for (const integrationId of await catchUp(deps, batch)) touched.add(integrationId);
      } catch (error) {
        // The next comparison of counters finds them again.
        log.warn({ err: error, integrations: batch.length }, 'live updates could not be read');
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
      const held = hub.integrationIds;
      for (let start = 0; start < held.length; start += policy.idsPerScope) {
        for (const id of await listBehind(deps, held.slice(start, start + policy.idsPerScope))) touch(id);
      }
    },
  };
}

/** The integrations whose counter in the database is not the one that the hub has reached. */
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

/** Reads and passes on; answers which integrations have still more. */
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
