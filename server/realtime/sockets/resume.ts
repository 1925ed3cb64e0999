import type { Cursors } from '#contract/realtime.ts';
import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { Connection } from './connection.ts';
import { frameOf } from './frame.ts';
import type { Hub } from './hub.ts';
import type { RealtimePolicy } from '../policy.ts';
import { readMissed, type LoadUpdates, type Missed } from '../read-missed.ts';

export interface ResumeDeps {
  db: Database;
  hub: Hub;
  loadUpdates: LoadUpdates;
  log: Log;
  policy: RealtimePolicy;
}

/** How often a replay may be overtaken by new updates before the client is told to read again. */
const attempts = 3;

/**
 * Sends a client what it missed since its cursors, in order and whole, or `resync` for the integration: never a part.
 * Live updates of these integrations wait meanwhile, so that the client sees one sequence. A cursor that is up to date
 * costs nothing. One after the other for each client.
 */
export function resume(deps: ResumeDeps, connection: Connection, cursors: Cursors): Promise<void> {
  const before = connection.replays ?? Promise.resolve();
  connection.replays = before.then(() => resumeNow(deps, connection, cursors));
  return connection.replays;
}

async function resumeNow(deps: ResumeDeps, connection: Connection, cursors: Cursors): Promise<void> {
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
    log.warn({ err: error }, 'missed updates could not be read');
    for (const integrationId of behind.keys()) giveUp(hub, connection, integrationId);
  }
}

async function replay(deps: ResumeDeps, connection: Connection, behind: Map<string, number>): Promise<void> {
  const { hub, policy } = deps;
  for (let attempt = 1; behind.size > 0 && attempt <= attempts; attempt += 1) {
    const missed = await readMissed(deps, behind, policy.maxReplay + 1);
    for (const [integrationId, after] of behind) {
      const stream = hub.stream(integrationId);
      const found = missed.get(integrationId);
      // After a removal that is not known here yet, the client may be the one who was removed.
      const isSame =
        found !== undefined &&
        found.counter.epoch === stream?.epoch &&
        found.counter.removals === stream.removals;
      const frames = isSame ? framesOf(found, after, policy) : undefined;
      if (stream === undefined || !stream.has(connection)) behind.delete(integrationId);
      else if (found === undefined || frames === undefined) {
        behind.delete(integrationId);
        giveUp(hub, connection, integrationId);
      } else if (stream.unpause(connection, found.counter.seq)) {
        behind.delete(integrationId);
        if (frames.length > 0) connection.write(frames);
      }
    }
  }
  for (const integrationId of behind.keys()) giveUp(hub, connection, integrationId);
}

/** All of it as one buffer; undefined when something is missing, or it is too much. */
function framesOf({ counter, messages }: Missed, after: number, policy: RealtimePolicy): Buffer | undefined {
  const isWhole = counter.seq >= after && messages.length === counter.seq - after;
  if (!isWhole || messages.length > policy.maxReplay) return undefined;
  const frames = Buffer.concat(messages.map(frameOf));
  return frames.length > policy.maxReplayBytes ? undefined : frames;
}

function giveUp(hub: Hub, connection: Connection, integrationId: string): void {
  const stream = hub.stream(integrationId);
  stream?.unpause(connection, stream.lastSeq);
  connection.sendControl({ v: 1, type: 'resync', integrationId });
}
