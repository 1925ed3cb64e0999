import type { IncomingMessage } from 'node:http';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import type { AccessChanges } from '../connections/access-changes.ts';
import type { HandshakeRules } from '../handshake/handshake.ts';
import type { RecordConnectionDeps } from '../handshake/record-connection.ts';
import type { LoadUpdates } from '../outbox/read-missed.ts';
import type { RealtimePolicy } from '../policy.ts';
import type { Hub } from './hub.ts';
import type { Ends, RealtimeMetrics } from './metrics.ts';

/** What the sockets of a node share. */
export interface SocketsDeps
  extends
    Pick<SharedDeps, 'log'>,
    Pick<HandshakeRules, 'path' | 'allowedOrigins' | 'isDraining' | 'verify'>,
    Pick<Ends, 'end'>,
    RecordConnectionDeps {
  hub: Hub;
  policy: RealtimePolicy;
  metrics: RealtimeMetrics;
  changes: AccessChanges;
  loadUpdates: LoadUpdates;
  /** The client address used for rate limiting. Loopback is exempt. */
  addressOf(request: IncomingMessage): string;
}
