import type { RawData, WebSocket } from 'ws';
import type { Connection } from '#server/realtime/sockets/connection.ts';
import type { Hub } from '#server/realtime/sockets/hub.ts';
import type { Position } from '#server/realtime/sockets/stream.ts';
import { connectionOf, type LiveSocket } from './upgrade.ts';

export interface AttachSocketDeps {
  hub: Hub;
  onMessage(connection: Connection, data: Buffer, isBinary: boolean): void;
  /** However the connection ended; once for each that entered. */
  onClosed(connection: Connection): void;
}

/** Takes open sockets into the hub, and out of it when they close. `positions` is what their records were written with. */
export function makeAttachSocket({ hub, onMessage, onClosed }: AttachSocketDeps) {
  // The same functions for every socket, which keep nothing of its handshake alive.
  const listeners = {
    message(this: WebSocket, data: RawData, isBinary: boolean): void {
      const connection = connectionOf(this);
      if (connection !== undefined) onMessage(connection, data as Buffer, isBinary);
    },
    pong(this: WebSocket): void {
      connectionOf(this)?.receivePong();
    },
    close(this: WebSocket): void {
      const connection = connectionOf(this);
      if (connection === undefined) return;
      hub.remove(connection);
      onClosed(connection);
    },
    // `ws` has answered what is broken with a close frame; `close` follows.
    error(this: WebSocket): void {
      connectionOf(this)?.leave();
    },
  };

  return (ws: LiveSocket, connection: Connection, positions: ReadonlyMap<string, Position>): void => {
    ws.connection = connection;
    ws.on('message', listeners.message).on('pong', listeners.pong);
    ws.on('error', listeners.error).on('close', listeners.close);
    hub.add(connection, positions);
    if (connection.isControl) {
      connection.sendControl({ v: 1, type: 'hello', cursors: hub.positionsOf(connection) });
    }
  };
}
