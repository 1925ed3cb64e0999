import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws';
import type { ClientMessage, ServerMessage, UpdateMessage } from '#contract/runs/realtime.ts';
import { ApiError } from '../problem.ts';
import { LiveUpdates } from './live-updates.ts';

const integrationId = '0198e7a0-0000-7000-8000-000000000001';

/** The server end of one connection. */
interface Peer {
  socket: ServerSocket;
  token: string | null;
  said: ClientMessage[];
  tell(message: object): void;
  hello(seq: number): void;
}

/** Waits for the next connection to `server`. */
function nextPeerOf(server: WebSocketServer): Promise<Peer> {
  return new Promise((resolve) => {
    server.once('connection', (socket, request) => {
      const said: ClientMessage[] = [];
      socket.on('message', (data: Buffer) => {
        said.push(JSON.parse(data.toString()) as ClientMessage);
        socket.emit('said');
      });
      const tell = (message: object): void => socket.send(JSON.stringify(message));
      resolve({
        socket,
        token: new URL(request.url ?? '', 'ws://host').searchParams.get('token'),
        said,
        tell,
        hello: (seq) =>
          tell({
            v: 1,
            type: 'hello',
            cursors: { [integrationId]: { epoch: 'e1', seq } },
          } satisfies ServerMessage),
      });
    });
  });
}

function updateOf(seq: number) {
  return { v: 1, type: 'workflow_run', integrationId, epoch: 'e1', seq, at: '', data: { runId: seq } };
}

/** Each test has its own server, because a closing client may reconnect briefly. */
async function setUp(t: TestContext, fetchToken?: () => Promise<string>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
  const first = nextPeerOf(server);
  let tokens = 0;
  const told: string[] = [];
  const seen = new EventEmitter();
  const surroundings = { isVisible: true };
  const live = new LiveUpdates({
    fetchToken: async () => ({
      token: await (fetchToken?.() ?? Promise.resolve(`token-${(tokens += 1)}`)),
      expiresAt: '',
      url,
    }),
    openSocket: (address, protocol) => new WebSocket(address, protocol),
    random: () => 0,
    isOnline: () => true,
    isVisible: () => surroundings.isVisible,
    nextFrame: (run) => void setImmediate(run),
    onMembershipsChanged: () => {
      told.push('memberships');
      seen.emit('memberships');
    },
    onRevoked: (id) => void told.push(`revoked ${id}`),
  });
  live.onState(() => seen.emit(live.state));
  const seqs: number[] = [];
  let resyncs = 0;
  const stopListening = live.listen(integrationId, {
    onUpdates: (updates: readonly UpdateMessage[]) => {
      seqs.push(...updates.map(({ seq }) => seq));
      seen.emit('updates');
    },
    onResync: () => {
      resyncs += 1;
      seen.emit('resync');
    },
  });
  t.after(() => {
    stopListening();
    server.close();
    for (const client of server.clients) client.terminate();
  });
  const state = async (wanted: string): Promise<void> => {
    if (live.state !== wanted) await once(seen, wanted);
  };
  return {
    live,
    first,
    nextPeer: () => nextPeerOf(server),
    seen,
    seqs,
    resyncs: () => resyncs,
    state,
    surroundings,
    tokens: () => tokens,
    told,
  };
}

test('updates arrive in order, and the connection is live after the greeting', async (t) => {
  const { first, live, seen, seqs, state } = await setUp(t);
  const peer = await first;
  assert.equal(live.state, 'connecting');
  peer.hello(7);
  await state('live');
  for (const seq of [8, 8, 9]) peer.tell(updateOf(seq));
  while (seqs.length < 2) await once(seen, 'updates');
  assert.deepEqual(seqs, [8, 9]);
});

test('the client reconnects with a new token after a server restart and requests missed updates', async (t) => {
  const { first, nextPeer, seen, seqs, state } = await setUp(t);
  const before = await first;
  before.hello(7);
  before.tell(updateOf(8));
  while (seqs.length < 1) await once(seen, 'updates');
  const second = nextPeer();
  before.socket.close(1012);
  await state('reconnecting');
  const after = await second;
  assert.notEqual(after.token, before.token);
  after.hello(9);
  if (after.said.length === 0) await once(after.socket, 'said');
  assert.deepEqual(after.said, [{ type: 'resume', cursors: { [integrationId]: { epoch: 'e1', seq: 8 } } }]);
  after.tell(updateOf(10));
  after.tell(updateOf(9));
  after.tell(updateOf(10));
  while (seqs.length < 3) await once(seen, 'updates');
  assert.deepEqual(seqs, [8, 9, 10]);
});

test('a gap or a notice about omitted updates causes a reload', async (t) => {
  const { first, seen, resyncs } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  peer.tell(updateOf(10));
  while (resyncs() < 1) await once(seen, 'resync');
  peer.tell({ v: 1, type: 'resync' });
  while (resyncs() < 2) await once(seen, 'resync');
});

test('a permanent close stops the attempts until a manual retry', async (t) => {
  const { first, nextPeer, live, state, told, tokens } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  await state('live');
  peer.socket.close(4403);
  await state('stopped');
  assert.deepEqual(told, ['memberships', 'memberships'], 'access may have ended without a word');
  live.surroundingsChanged('visible');
  live.surroundingsChanged('online');
  assert.equal(tokens(), 1);
  const second = nextPeer();
  live.tryAgain();
  (await second).hello(7);
  await state('live');
});

test('a client that is refused a token twice does not ask again', async (t) => {
  let asked = 0;
  const { state, told } = await setUp(t, () => {
    asked += 1;
    return Promise.reject(new ApiError('', { status: 401, code: 'unauthenticated' }));
  });
  await state('stopped');
  assert.equal(asked, 2);
  assert.deepEqual(told, ['memberships']);
});

test('a hidden page reconnects when it becomes visible', async (t) => {
  const { first, nextPeer, live, state, surroundings, tokens } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  await state('live');
  surroundings.isVisible = false;
  peer.socket.terminate();
  await state('reconnecting');
  assert.equal(tokens(), 1);
  const second = nextPeer();
  surroundings.isVisible = true;
  live.surroundingsChanged('visible');
  (await second).hello(7);
  await state('live');
});

/** Waits for the next message of the client. */
async function saidNext({ socket, said }: Peer): Promise<ClientMessage | undefined> {
  if (said.length === 0) await once(socket, 'said');
  return said.shift();
}

test('an integration missing from the connection triggers one token renewal and a membership check', async (t) => {
  const { first, live, seen, state, told, tokens } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  await state('live');
  const stopListening = live.listen('another', { onUpdates: () => {}, onResync: () => {} });
  assert.deepEqual(await saidNext(peer), { type: 'auth', token: 'token-2' });
  assert.deepEqual(told, ['memberships'], 'of the first connection');
  peer.hello(7);
  await once(seen, 'memberships');
  stopListening();
  live.listen('another', { onUpdates: () => {}, onResync: () => {} })();
  assert.equal(tokens(), 2);
});

test('a new membership is added to the open connection, and updates continue', async (t) => {
  const { first, seen, seqs, state, told } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  await state('live');
  peer.tell({ v: 1, type: 'integrations.changed' });
  assert.deepEqual(await saidNext(peer), { type: 'auth', token: 'token-2' });
  assert.deepEqual(told, ['memberships', 'memberships']);
  peer.tell(updateOf(8));
  peer.hello(8);
  peer.tell(updateOf(9));
  while (seqs.length < 2) await once(seen, 'updates');
  assert.deepEqual(seqs, [8, 9]);
});

test('ended access is reported, and the integration is not requested again', async (t) => {
  const { first, live, resyncs, state, told, tokens } = await setUp(t);
  const peer = await first;
  peer.hello(7);
  await state('live');
  peer.tell({ v: 1, type: 'access.revoked', integrationId });
  peer.hello(7);
  live.listen(integrationId, { onUpdates: () => {}, onResync: () => {} })();
  peer.socket.close(4403);
  await state('stopped');
  assert.deepEqual(told, ['memberships', `revoked ${integrationId}`, 'memberships', 'memberships']);
  assert.deepEqual([resyncs(), tokens()], [0, 1]);
});
