import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';

/** One dedicated connection that hears NOTIFY. Subscribe before `start`. */
export interface Listener extends Service {
  on(channel: string, handle: (payload: string) => void): void;
  /** Called after each (re)connection: notifications are lost while disconnected, so catch up from the tables here. */
  onConnect(handle: () => void): void;
}

const longestRetryMs = 5000;

export function makeListener(connection: pg.ClientConfig, log: Log): Listener {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  const connectHandlers: (() => void)[] = [];
  const stopping = new AbortController();
  let client: pg.Client | undefined;
  let reconnecting: Promise<void> = Promise.resolve();

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...connection, keepAlive: true });
    next.on('error', () => {});
    next.once('end', () => {
      if (stopping.signal.aborted || client !== next) return;
      reconnecting = reconnect();
    });
    next.on('notification', ({ channel, payload = '' }) => {
      for (const handle of handlers.get(channel) ?? []) handle(payload);
    });
    await next.connect();
    client = next;
    for (const channel of handlers.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    for (const handle of connectHandlers) handle();
  };

  const reconnect = async (): Promise<void> => {
    log.warn('lost the connection that listens for notifications; reconnecting');
    for (let waitMs = 50; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const failure = await connect().catch((error: unknown) => error);
      if (failure === undefined) return;
    }
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
