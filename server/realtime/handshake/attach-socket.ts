import type { RawData, WebSocket } from 'ws';
import type { Connection } from '#server/realtime/sockets/connection.ts';
import type { Hub } from '#server/realtime/sockets/hub.ts';
import type { Position } from '#server/realtime/sockets/stream.ts';
import { connectionOf, type LiveSocket } from './upgrade.ts';

export interface AttachSocketDeps {
  hub: Hub;
  onMessage(connection: Connection, data: Buffer, isBinary: boolean): void;
  /** Called once per attached connection, however it ended. */
  onClosed(connection: Connection): void;
}

/** Adds open sockets to the hub and removes them when they close. `positions` comes from writing their records. */
export function makeAttachSocket({ hub, onMessage, onClosed }: AttachSocketDeps) {
  // All sockets share these listeners, so that no closure keeps the handshake in memory.
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
    // `ws` answered the invalid frame with a close frame; the event `close` follows.
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
