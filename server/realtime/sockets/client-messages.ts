import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { closeCodes, type ClientMessage, type Cursors } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import type { EndReason } from './metrics.ts';
import type { RealtimePolicy } from '../policy.ts';

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

export interface ClientMessageDeps {
  policy: RealtimePolicy;
  resume(connection: Connection, cursors: Cursors): Promise<void>;
  renewAccess(connection: Connection, token: string): Promise<void>;
  end(connection: Connection, code: number, reason: EndReason): void;
}

/** Handles messages of a client. Closes the socket on an invalid one. */
export function makeClientMessages({ policy, resume, renewAccess, end }: ClientMessageDeps) {
  return (connection: Connection, data: Buffer, isBinary: boolean): void => {
    if (!connection.isOpen) return;
    connection.messagesThisSecond += 1;
    if (connection.messagesThisSecond > policy.maxClientMessagesPerSecond) {
      end(connection, closeCodes.tooManyMessages, 'too-many-messages');
      return;
    }
    if (isBinary) {
      end(connection, closeCodes.unsupportedData, 'bad-message');
      return;
    }
    const message = parse(data);
    if (message === undefined) end(connection, closeCodes.badRequest, 'bad-message');
    else if (message.type === 'ping') connection.sendControl({ v: 1, type: 'pong' });
    else {
      const isAccepted = connection.enqueue(() =>
        message.type === 'resume'
          ? resume(connection, message.cursors)
          : renewAccess(connection, message.token),
      );
      if (!isAccepted) end(connection, closeCodes.tooManyMessages, 'too-many-messages');
    }
  };
}

function parse(data: Buffer): ClientMessage | undefined {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    return schema.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
