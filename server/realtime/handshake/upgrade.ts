import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { controlProtocol } from '#contract/realtime.ts';
import type { RealtimePolicy } from '#server/realtime/policy.ts';
import type { Connection } from '#server/realtime/sockets/connection.ts';

/** Knows its connection, so that all sockets share their listeners: own ones would cost each 300 bytes more. */
export class LiveSocket extends WebSocket {
  connection: Connection | undefined = undefined;
}

export function connectionOf(ws: WebSocket): Connection | undefined {
  return ws instanceof LiveSocket ? ws.connection : undefined;
}

/** Options of `ws` that its types do not know yet. */
interface Limits {
  maxFragments: number;
  maxBufferedChunks: number;
  closeTimeout: number;
}

/** Turns a checked request into a socket; undefined when the client has gone meanwhile. No compression: A-50. */
export function makeUpgrade(
  policy: RealtimePolicy,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => LiveSocket | undefined {
  const options: ServerOptions<typeof LiveSocket> & Limits = {
    noServer: true,
    WebSocket: LiveSocket,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: policy.maxClientMessageBytes,
    maxFragments: policy.maxFragments,
    maxBufferedChunks: policy.maxFragments,
    closeTimeout: policy.closeTimeoutMs,
    // Never the `token.…` that may be offered beside it.
    handleProtocols: (offered) => offered.has(controlProtocol) && controlProtocol,
  };
  const server = new WebSocketServer(options);
  return (request, socket, head) => {
    let opened: LiveSocket | undefined;
    server.handleUpgrade(request, socket, head, (ws) => {
      opened = ws;
    });
    return opened;
  };
}
