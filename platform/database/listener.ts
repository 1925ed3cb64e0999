import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { retry } from '../runtime/tasks/retry.ts';
import type { Service } from '../runtime/service.ts';
import { connectTimeoutMs, silenceMs } from './time-limits.ts';

/** One dedicated connection for LISTEN. Subscribe before `start`. */
export interface Listener extends Service {
  on(channel: string, handle: (payload: string) => void): void;
  /** Called after each (re)connection: notifications are lost while disconnected, so catch up from the tables here. */
  onConnect(handle: () => void): void;
}

const reconnectBackOff = { firstMs: 100, longestMs: 5000 };
const ping: pg.QueryConfig & { query_timeout: number } = { text: 'select', query_timeout: silenceMs };

export function makeListener(connection: pg.ClientConfig, log: Log, pulseEveryMs = 15_000): Listener {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  const connectHandlers: (() => void)[] = [];
  const stopping = new AbortController();
  let client: pg.Client | undefined;
  let reconnecting: Promise<void> = Promise.resolve();

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...connection, keepAlive: true, connectionTimeoutMillis: connectTimeoutMs });
    next.on('error', () => {});
    next.once('end', () => {
      if (stopping.signal.aborted || client !== next) return;
      reconnecting = reconnect();
    });
    next.on('notification', ({ channel, payload = '' }) => {
      for (const handle of handlers.get(channel) ?? []) handle(payload);
    });
    try {
      await next.connect();
      for (const channel of handlers.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // Closes the incomplete connection before the next attempt.
      void next.end().catch(() => {});
      throw error;
    }
    client = next;
    for (const handle of connectHandlers) handle();
    // A connection that only listens does not notice that it was cut off, so it is checked periodically.
    const checkPulse = () => next.query(ping).then(waitForPulse, () => next.end());
    let pulse: NodeJS.Timeout;
    const waitForPulse = (): void => {
      pulse = setTimeout(() => void checkPulse(), pulseEveryMs);
    };
    waitForPulse();
    next.once('end', () => clearTimeout(pulse));
  };

  const reconnect = async (): Promise<void> => {
    log.warn('listener connection lost; reconnecting');
    const { signal } = stopping;
    await retry(connect, { backOff: reconnectBackOff, signal, waitsFirst: true }).catch(() => {});
  };

  return {
    name: 'listener',
    on: (channel, handle) => handlers.set(channel, [...(handlers.get(channel) ?? []), handle]),
    onConnect: (handle) => connectHandlers.push(handle),
    start: connect,
    stop: async () => {
      stopping.abort();
      await reconnecting;
      await client?.end().catch(() => {});
    },
  };
}
