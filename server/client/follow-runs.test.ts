import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Api } from './api.ts';
import { followRuns } from './follow-runs.ts';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await once(server, 'listening');
after(() => server.close());
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;

const run = (runId: number, status: string) => ({ runId, status });
const update = (seq: number, data: object) =>
  JSON.stringify({ v: 1, type: 'workflow_run', integrationId: 'one', epoch: 'e', seq, data });

const last = update(9, run(99, 'completed'));

/** What a person sees when an update arrives while the list is read that has the given position. */
async function follow(list: object[], seq: number, news: string): Promise<string[]> {
  const shown: string[] = [];
  const stopped = new AbortController();
  let socket: WebSocket | undefined;
  server.once('connection', (opened) => (socket = opened));
  const get = async (path: string): Promise<unknown> => {
    if (path === '/api/auth/ws-token') return { url, token: 't' };
    if (socket !== undefined) {
      socket.send(news);
      // An answer to the ping shows that the client has read all before it.
      socket.ping();
      await once(socket, 'pong');
      setImmediate(() => socket?.send(last));
    }
    return { items: list, stream: { epoch: 'e', seq: socket === undefined ? 0 : seq } };
  };
  await followRuns(
    { api: { get } as Api, integrationId: 'one', path: '/one' },
    {
      signal: stopped.signal,
      query: {},
      onRun: (each) => {
        shown.push(`${each.runId} ${each.status}`);
        if (each.runId === 99) stopped.abort();
      },
    },
  );
  return shown;
}

test('a change that arrives while the list is read is not replaced by the older list', async () => {
  const shown = await follow([run(1, 'in_progress')], 3, update(4, run(1, 'completed')));
  assert.equal(shown.at(-2), '1 completed');
});

test('a change that the list contains already does not replace it', async () => {
  const shown = await follow([run(1, 'completed')], 4, update(4, run(1, 'in_progress')));
  assert.deepEqual(new Set(shown), new Set(['1 completed', '99 completed']));
});
