import { setTimeout as delay } from 'node:timers/promises';
import { closeCodes } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import type { RealtimePolicy } from '../policy.ts';

/**
 * Closes all sockets with 1012, in random batches spread over time, so that clients do not reconnect all at once. Resolves when
 * all are closed: `ws` terminates sockets that do not answer in time.
 */
export async function drainConnections(
  connections: ReadonlySet<Connection>,
  policy: RealtimePolicy,
): Promise<void> {
  const leaving = shuffled([...connections]);
  const spreadMs = Math.min(policy.drainMs, (leaving.length / policy.drainSocketsPerSecond) * 1000);
  const batchSize = Math.ceil(leaving.length / policy.drainBatches);
  for (let start = 0; start < leaving.length; start += batchSize) {
    for (const connection of leaving.slice(start, start + batchSize)) {
      connection.close(closeCodes.restart, 'restart');
    }
    await delay(spreadMs / policy.drainBatches);
  }
  await allClosed(leaving);
}

async function allClosed(connections: readonly Connection[]): Promise<void> {
  await Promise.all(
    connections.map(
      ({ ws }) =>
        new Promise<void>((resolve) => {
          if (ws.readyState === ws.CLOSED) resolve();
          else ws.once('close', () => resolve());
        }),
    ),
  );
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
