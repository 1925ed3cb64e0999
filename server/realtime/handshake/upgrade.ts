import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';
import { controlProtocol } from '#contract/runs/realtime.ts';
import type { RealtimePolicy } from '#server/realtime/policy.ts';

/** Options of `ws` that its types do not contain. */
interface Limits {
  maxFragments: number;
  maxBufferedChunks: number;
  closeTimeout: number;
}

/** Upgrades a checked request; undefined when the client disconnected. No compression: it costs memory per socket and allows small messages to expand. */
export function makeUpgrade(policy: RealtimePolicy) {
  const options: ServerOptions & Limits = {
    noServer: true,
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
  return (request: IncomingMessage, socket: Duplex, head: Buffer): WebSocket | undefined => {
    let opened: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (ws) => {
      opened = ws;
    });
    return opened;
  };
}
