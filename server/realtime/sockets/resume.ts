import type { Cursors } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import { frameOf } from './frame.ts';
import type { Hub } from './hub.ts';
import type { RealtimePolicy } from '../policy.ts';
import { readMissed, type Missed } from '../outbox/read-missed.ts';
import type { SocketsDeps } from './sockets-deps.ts';

/** New updates can overtake a replay. After this many attempts the client gets `resync`. */
const attempts = 3;

/**
 * Sends a client all updates since its cursors, in order, or `resync` for the integration: never a part. Live updates of these
 * integrations are paused meanwhile, so that the client sees one sequence. A current cursor costs nothing.
 */
export async function resume(deps: SocketsDeps, connection: Connection, cursors: Cursors): Promise<void> {
  const { hub, log } = deps;
  const behind = new Map<string, number>();
  for (const [integrationId, cursor] of Object.entries(cursors)) {
    const stream = connection.integrationIds.includes(integrationId) ? hub.stream(integrationId) : undefined;
    if (stream === undefined || (cursor.epoch === stream.epoch && cursor.seq === stream.lastSeq)) continue;
    if (cursor.epoch === stream.epoch) {
      stream.pause(connection);
      behind.set(integrationId, cursor.seq);
    } else connection.sendControl({ v: 1, type: 'resync', integrationId });
  }
  try {
    await replay(deps, connection, behind);
  } catch (error) {
    log.warn({ err: error }, 'missed update read failed');
    for (const integrationId of behind.keys()) endWithResync(hub, connection, integrationId);
  }
}

async function replay(deps: SocketsDeps, connection: Connection, behind: Map<string, number>): Promise<void> {
  const { hub, policy } = deps;
  for (let attempt = 1; behind.size > 0 && attempt <= attempts; attempt += 1) {
    const missed = await readMissed(deps, behind, policy.maxReplay + 1);
    for (const [integrationId, after] of behind) {
      const stream = hub.stream(integrationId);
      const found = missed.get(integrationId);
      // After a removal that is unknown here, the client itself may be the removed member.
      const isSame =
        found !== undefined &&
        found.counter.epoch === stream?.epoch &&
        found.counter.removals === stream.removals;
      const frames = isSame ? framesOf(found, after, policy) : undefined;
      if (stream === undefined || !stream.has(connection)) behind.delete(integrationId);
      else if (found === undefined || frames === undefined) {
        behind.delete(integrationId);
        endWithResync(hub, connection, integrationId);
      } else if (stream.unpause(connection, found.counter.seq)) {
        behind.delete(integrationId);
        if (frames.length > 0) connection.write(frames);
      }
    }
  }
  for (const integrationId of behind.keys()) endWithResync(hub, connection, integrationId);
}

/** All messages as one buffer; undefined when some are missing or the limits are exceeded. */
function framesOf({ counter, messages }: Missed, after: number, policy: RealtimePolicy): Buffer | undefined {
  const isComplete = counter.seq >= after && messages.length === counter.seq - after;
  if (!isComplete || messages.length > policy.maxReplay) return undefined;
  const frames = Buffer.concat(messages.map(frameOf));
  return frames.length > policy.maxReplayBytes ? undefined : frames;
}

function endWithResync(hub: Hub, connection: Connection, integrationId: string): void {
  const stream = hub.stream(integrationId);
  stream?.unpause(connection, stream.lastSeq);
  connection.sendControl({ v: 1, type: 'resync', integrationId });
}
