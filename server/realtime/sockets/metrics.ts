import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Connection } from './connection.ts';
import type { Hub } from './hub.ts';

/** Why the server ended a connection. */
export type EndReason =
  | 'lagging'
  | 'queue'
  | 'no-pong'
  | 'budget'
  | 'too-old'
  | 'revoked'
  | 'expired'
  | 'signed-out'
  | 'renewal-failed'
  | 'too-many-messages'
  | 'bad-message';

export interface RealtimeMetrics {
  delivered(messages: number, sockets: number, at: string): void;
  ended(reason: EndReason): void;
  refused(status: number): void;
}

/** Both count why the server ends a connection. */
export interface Ends {
  /** Without a close frame, which would be queued behind unsent data. */
  terminate(connection: Connection, reason: EndReason): void;
  end(connection: Connection, code: number, reason: EndReason): void;
}

export function makeEnds(hub: Hub, metrics: RealtimeMetrics): Ends {
  return {
    terminate: (connection, reason) => {
      metrics.ended(reason);
      hub.remove(connection);
      connection.ws.terminate();
    },
    end: (connection, code, reason) => {
      if (!connection.isOpen) return;
      metrics.ended(reason);
      connection.close(code, reason);
    },
  };
}

/** `connections` is called when metrics are read. */
export function makeRealtimeMetrics(
  registry: Registry,
  connections: () => ReadonlySet<Connection>,
): RealtimeMetrics {
  const registers = [registry];
  const delivered = new Counter({
    name: 'forgewatch_realtime_messages_total',
    help: 'Updates written to sockets',
    registers,
  });
  const ended = new Counter({
    name: 'forgewatch_realtime_ended_total',
    help: 'Connections ended by the server, by reason',
    labelNames: ['reason'],
    registers,
  });
  const refused = new Counter({
    name: 'forgewatch_realtime_refused_total',
    help: 'Refused handshakes, by status',
    labelNames: ['status'],
    registers,
  });
  const latency = new Histogram({
    name: 'forgewatch_realtime_push_seconds',
    help: 'Time from the transaction that stored an update to its last socket on this node',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  registry.registerMetric(gauge('forgewatch_realtime_connections', 'Open sockets', () => connections().size));
  registry.registerMetric(
    gauge(
      'forgewatch_realtime_lagging',
      'Sockets of slow clients that receive nothing until they catch up',
      () => [...connections()].filter(({ laggingSince }) => laggingSince !== 0).length,
    ),
  );
  registry.registerMetric(
    gauge('forgewatch_realtime_queued_bytes', 'Bytes not yet sent to sockets', () =>
      connections()
        .values()
        .reduce((sum, { queuedBytes }) => sum + queuedBytes, 0),
    ),
  );
  return {
    delivered: (messages, sockets, at) => {
      delivered.inc(messages * sockets);
      if (sockets > 0) latency.observe(Math.max(0, Date.now() - Date.parse(at)) / 1000);
    },
    ended: (reason) => ended.inc({ reason }),
    refused: (status) => refused.inc({ status: String(status) }),
  };
}

function gauge(name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(read());
    },
  });
}
