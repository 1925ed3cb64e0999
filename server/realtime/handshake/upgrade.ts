import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { controlProtocol } from '#contract/runs/realtime.ts';
import type { RealtimePolicy } from '#server/realtime/policy.ts';
import type { Connection } from '#server/realtime/sockets/connection.ts';

/** Refers to its connection, so that all sockets share their listeners. Own listeners need 300 bytes per socket. */
export class LiveSocket extends WebSocket {
  connection: Connection | undefined = undefined;
}

export function connectionOf(ws: WebSocket): Connection | undefined {
  return ws instanceof LiveSocket ? ws.connection : undefined;
}

/** Options of `ws` that its types do not contain. */
interface Limits {
  maxFragments: number;
  maxBufferedChunks: number;
  closeTimeout: number;
}

/** Upgrades a checked request; undefined when the client disconnected. No compression: it costs memory per socket and allows small messages to expand. */
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
    // Never select the protocol `token.…`: the response would contain the token.
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
