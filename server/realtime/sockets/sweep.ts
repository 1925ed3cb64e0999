import { closeCodes } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import type { EndReason, Ends } from './metrics.ts';
import type { RealtimePolicy } from '../policy.ts';

interface SweepDeps extends Ends {
  connections: ReadonlySet<Connection>;
  policy: RealtimePolicy;
  /** What arrived before this time has been handled, in milliseconds as of `performance.now`. */
  handledUntil: number;
}

/** Checks all connections: pings, overdue pongs, slow clients, age and the node's limit of unsent bytes. */
export function sweep(deps: SweepDeps): void {
  const now = performance.now();
  const queued: { connection: Connection; bytes: number }[] = [];
  let total = 0;
  for (const connection of deps.connections) {
    connection.messagesThisSecond = 0;
    const reason = terminationReason(connection, deps.policy, deps.handledUntil);
    if (reason !== undefined) {
      deps.terminate(connection, reason);
      continue;
    }
    if (now >= connection.nextPingAt) connection.ping(now);
    if (now >= connection.tooOldAt) deps.end(connection, closeCodes.tooOld, 'too-old');
    const bytes = connection.queuedBytes;
    if (bytes > 0) queued.push({ connection, bytes });
    total += bytes;
  }
  if (total > deps.policy.nodeBudgetBytes) shed(deps, queued, total);
}

function terminationReason(
  connection: Connection,
  policy: RealtimePolicy,
  now: number,
): EndReason | undefined {
  if (connection.pongDueAt !== 0 && now > connection.pongDueAt) return 'no-pong';
  if (connection.laggingSince !== 0 && now - connection.laggingSince > policy.lagTimeoutMs) return 'lagging';
  return connection.queuedBytes > policy.maxQueuedBytes ? 'queue' : undefined;
}

/** Ends the connections with the most unsent bytes first, so that few clients are affected. */
function shed(deps: SweepDeps, queued: { connection: Connection; bytes: number }[], total: number): void {
  let left = total;
  for (const { connection, bytes } of queued.sort((a, b) => b.bytes - a.bytes)) {
    if (left <= deps.policy.nodeBudgetBytes) return;
    deps.terminate(connection, 'budget');
    left -= bytes;
  }
}
