import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { WsToken } from '#contract/members/identity.ts';
import type { StreamPosition, WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import type { Api } from './api.ts';

const pageSize = 100;
const reconnectMs = 2_000;
/** Twice the interval of the server's pings. A silent connection is broken. */
const silenceMs = 60_000;

/**
 * Calls `onRun` for the newest runs, then for each change, until `signal` aborts. After a lost connection the list is read
 * again, so no change is missed. Changes that arrive meanwhile wait for the list, so that it never replaces a newer state.
 * Throws only when the first list cannot be read.
 */
export async function followRuns(
  { api, integrationId, path }: { api: Api; integrationId: string; path: string },
  {
    signal,
    query,
    onRun,
  }: {
    signal: AbortSignal;
    /** Limits the list, and not the changes. */
    query: Record<string, string>;
    onRun: (run: WorkflowRun) => void;
  },
): Promise<void> {
  const readList = async (): Promise<StreamPosition> => {
    const { items, stream } = await api.get<WorkflowRunPage>(`${path}/workflows`, {
      ...query,
      limit: String(pageSize),
    });
    for (const run of items.toReversed()) onRun(run);
    return stream;
  };
  await readList();
  while (!signal.aborted) {
    try {
      const { url, token } = await api.get<WsToken>('/api/auth/ws-token');
      let waiting: UpdateMessage[] | undefined = [];
      const apply = (update: UpdateMessage): void => onRun(update.data as WorkflowRun);
      await followSocket(`${url}?channel=workflows&token=${token}`, signal, {
        onOpen: async () => {
          const { epoch, seq } = await readList();
          for (const update of waiting ?? []) if (update.epoch !== epoch || update.seq > seq) apply(update);
          waiting = undefined;
        },
        onUpdate: (update) => {
          if (update.integrationId !== integrationId || update.type !== 'workflow_run') return;
          if (waiting === undefined) apply(update);
          else waiting.push(update);
        },
      });
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
    }
    await sleep(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves when the socket has closed. Rejects when it does not open, or the list cannot be read. */
async function followSocket(
  address: string,
  signal: AbortSignal,
  { onOpen, onUpdate }: { onOpen: () => Promise<void>; onUpdate: (update: UpdateMessage) => void },
): Promise<void> {
  const socket = new WebSocket(address, { maxPayload: 1024 * 1024, handshakeTimeout: 10_000 });
  const stop = (): void => socket.terminate();
  const watchdog = setTimeout(stop, silenceMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.on('ping', () => watchdog.refresh());
      socket.on('message', (data: Buffer) => {
        watchdog.refresh();
        onUpdate(JSON.parse(data.toString()) as UpdateMessage);
      });
      socket.on('error', (error) => {
        if (!signal.aborted) reject(error);
      });
      socket.on('close', () => resolve());
      socket.on('open', () => {
        onOpen().catch((error: Error) => {
          socket.terminate();
          reject(error);
        });
      });
    });
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener('abort', stop);
  }
}
