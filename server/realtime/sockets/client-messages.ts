import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { closeCodes, type ClientMessage } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import { renewAccess } from './renew-access.ts';
import { resume } from './resume.ts';
import type { SocketsDeps } from './sockets-deps.ts';

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
