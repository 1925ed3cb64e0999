import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { closeCodes, type ClientMessage, type Cursors } from '#contract/runs/realtime.ts';
import { recordConnection } from '../handshake/record-connection.ts';
import type { TokenClaims } from '../handshake/ws-token.ts';
import type { RealtimePolicy } from '../policy.ts';
import { readMissed, type Missed } from '../outbox/read-missed.ts';
import type { Connection } from './connection.ts';
import type { SocketsDeps } from './sockets-deps.ts';
import { frameOf } from './frame.ts';
import type { Hub } from './hub.ts';

const schema = Compile(
  Type.Union([
    Type.Object({ type: Type.Literal('ping') }),
    Type.Object({
      type: Type.Literal('resume'),
      cursors: Type.Record(
        Type.String(),
        Type.Object({ epoch: Type.String({ maxLength: 64 }), seq: Type.Integer({ minimum: 0 }) }),
      ),
    }),
    Type.Object({ type: Type.Literal('auth'), token: Type.String() }),
  ]),
);

/** Handles a message of a client. Closes the socket on an invalid one. */
export function handleMessage(
  deps: SocketsDeps,
  connection: Connection,
  data: Buffer,
  isBinary: boolean,
): void {
  const { policy, end } = deps;
  if (!connection.isOpen) return;
  connection.messagesThisSecond += 1;
  if (connection.messagesThisSecond > policy.maxClientMessagesPerSecond)
    return end(connection, closeCodes.tooManyMessages, 'too-many-messages');
  if (isBinary) return end(connection, closeCodes.unsupportedData, 'bad-message');
  const message = parse(data);
  if (message === undefined) return end(connection, closeCodes.badRequest, 'bad-message');
  if (message.type === 'ping') return connection.sendControl({ v: 1, type: 'pong' });
  const isAccepted = connection.enqueue(() =>
    message.type === 'resume'
      ? resume(deps, connection, message.cursors)
      : renewAccess(deps, connection, message.token),
  );
  if (!isAccepted) end(connection, closeCodes.tooManyMessages, 'too-many-messages');
}

function parse(data: Buffer): ClientMessage | undefined {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    return schema.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Applies a new token to an open socket: its integrations replace the old ones and its age restarts. Answers with `hello`.
 */
async function renewAccess(deps: SocketsDeps, connection: Connection, token: string): Promise<void> {
  const claims = deps.verify(token);
  if (claims === undefined) return deps.end(connection, closeCodes.expired, 'expired');
  if (claims.userId !== connection.userId) return deps.end(connection, closeCodes.forbidden, 'revoked');
  try {
    await renew(deps, connection, claims);
  } catch (error) {
    deps.log.warn({ err: error }, 'socket access renewal failed');
    deps.end(connection, closeCodes.restart, 'renewal-failed');
  }
}

async function renew(deps: SocketsDeps, connection: Connection, claims: TokenClaims): Promise<void> {
  const { hub, records, end } = deps;
  const { id } = connection;
  const startedAt = performance.now();
  const recorded = await recordConnection(deps, id, claims);
  if ('refusal' in recorded) {
    const isForbidden = recorded.refusal.code === 'insufficient_role';
    if (isForbidden) end(connection, closeCodes.forbidden, 'revoked');
    else end(connection, closeCodes.expired, 'expired');
    return;
  }
  const { positions } = recorded;
  if (!hub.connections.has(connection)) {
    records.disconnect({ id, integrationIds: positions.keys() });
    return;
  }
  const dropped = connection.integrationIds.filter((integrationId) => !positions.has(integrationId));
  hub.replace(connection, positions);
  connection.renew(claims);
  records.disconnect({ id, integrationIds: dropped });
  deps.changes.checkSince(connection, startedAt);
  connection.sendControl({ v: 1, type: 'hello', cursors: hub.positionsOf(connection) });
}

/** New updates can overtake a replay. After this many attempts the client gets `resync`. */
const attempts = 3;

/**
 * Sends a client all updates since its cursors, in order, or `resync` for the integration: never a part. Live updates of these
 * integrations are paused meanwhile, so that the client sees one sequence. A current cursor costs nothing.
 */
async function resume(deps: SocketsDeps, connection: Connection, cursors: Cursors): Promise<void> {
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
