import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { RealtimePolicy } from '../policy.ts';
import { channel, newNodePayload } from '../outbox/channel.ts';
import { deleteExpiredNodes, deleteNode, notify, renewNode } from '../store.ts';

export interface NodeLease extends Service {
  /** True while no other node is known to be alive. */
  isOnlyNode(): boolean;
  /** Assumes that other nodes exist until the next heartbeat has counted them. */
  assumePeers(): void;
}

export interface LeaseDeps extends Pick<SharedDeps, 'db' | 'log'> {
  nodeId: string;
  policy: RealtimePolicy;
}

/**
 * Renews the row of this node with one update for all its connections, and removes the rows of nodes that died. `stop` removes its
 * own row with all records.
 */
export function makeNodeLease({ db, nodeId, log, policy }: LeaseDeps): NodeLease {
  let nodes = Infinity;
  let isKnown = false;

  const renew = async (): Promise<void> => {
    const state = await db.withScope('service', async (tx) => {
      const renewed = await renewNode(tx, nodeId, policy.leaseMs);
      if (renewed.wasGone) await notify(tx, channel, [newNodePayload]);
      return renewed;
    });
    nodes = state.nodes;
    isKnown = true;
  };
  const reap = async (): Promise<void> => {
    const gone = await db.withScope('service', deleteExpiredNodes);
    if (gone > 0) log.warn({ nodes: gone }, 'connection records of dead nodes removed');
  };
  const heartbeat = repeat(log, 'realtime heartbeat', policy.heartbeatEveryMs, renew);
  const reaper = repeat(log, 'realtime reaper', policy.reapEveryMs, reap);

  return {
    name: 'realtime node',
    isOnlyNode: () => nodes <= 1,
    assumePeers: () => {
      nodes = Infinity;
    },
    start: async () => {
      await renew();
      await heartbeat.start();
      await reaper.start();
    },
    stop: async () => {
      await Promise.all([heartbeat.stop(), reaper.stop()]);
      if (!isKnown) return;
      isKnown = false;
      await db
        .withScope('service', (tx) => deleteNode(tx, nodeId))
        .catch((error: unknown) => {
          log.warn({ err: error }, 'node row removal failed, another node will remove it');
        });
    },
  };
}
