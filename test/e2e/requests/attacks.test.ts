import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { baseUrl, newTeam } = product;

/** Keeps connections open, each of which sends `head` and then `piece` a number of times. A closed one is opened again. */
const attacker = `
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from 'node:net';
const { port, connections, head, piece, times, pauseMs, isAborted } = workerData;
const whole = Buffer.from(head + piece.repeat(pauseMs > 0 ? 0 : times));
let opened = 0;
const open = () => {
  opened += 1;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  let timer;
  socket.on('connect', () => {
    socket.write(whole, () => isAborted && socket.destroy());
    if (pauseMs > 0) timer = setInterval(() => socket.write(piece), pauseMs);
  });
  socket.on('close', () => { clearInterval(timer); setTimeout(open, 2); });
  socket.resume();
};
for (let n = 0; n < connections; n += 1) open();
setInterval(() => parentPort.postMessage(opened), 20);
`;

interface Attack {
  connections: number;
  head: string;
  piece?: string;
  times?: number;
  /** Between two pieces. */
  pauseMs?: number;
  isAborted?: boolean;
}

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;
const ofMegabyte = `Content-Length: ${1024 * 1024}\r\n`;
const handshake =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** Of a person who knows the webhook URL of another integration, which is no secret. */
const attacks: Record<string, (path: string) => Attack> = {
  'chunks of 64 bytes': (path) => ({
    connections: 100,
    head: post(path, 'Transfer-Encoding: chunked\r\n'),
    piece: `40\r\n${'x'.repeat(64)}\r\n`,
    times: 2_000,
  }),
  'heads that never end': () => ({
    connections: 300,
    head: 'GET / HTTP/1.1\r\nHost: x\r\n',
    piece: 'A: b\r\n',
    pauseMs: 50,
  }),
  'large bodies at once': (path) => ({
    connections: 300,
    head: post(path, ofMegabyte),
    piece: 'x'.repeat(1024),
    times: 1024,
  }),
  'bodies that are aborted': (path) => ({
    connections: 100,
    head: post(path, ofMegabyte),
    piece: 'x'.repeat(1024),
    times: 100,
    isAborted: true,
  }),
  'pipelined requests': () => ({
    connections: 100,
    head: get('/healthz'),
    piece: get('/healthz'),
    times: 200,
  }),
  'handshakes of sockets': () => ({ connections: 100, head: get('/ws?token=x', handshake) }),
  'sign-in pages': () => ({ connections: 50, head: get('/oidc/auth?client_id=x', 'Connection: close\r\n') }),
  'messages for programs': () => ({
    connections: 50,
    head: `${post('/mcp', 'Connection: close\r\nContent-Length: 2\r\n')}{}`,
  }),
  badges: () => ({
    connections: 50,
    head: get('/badge/AAAAAAAAAAAAAAAAAAAAAA.svg', 'Connection: close\r\n'),
  }),
  'links to a wallboard': () => ({
    connections: 50,
    head: get('/api/shared-wallboard?key=AAAAAAAAAAAAAAAAAAAAAA', 'Connection: close\r\n'),
  }),
};

type Team = Awaited<ReturnType<typeof newTeam>>;

/** Of signed webhooks one after the other, each on a new connection. */
async function timesOf(team: Team, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const from = performance.now();
    const { status } = await postWebhook(baseUrl, team, {
      event: 'ping',
      payload: { ...runPayload(), zen: 'x' },
      headers: { connection: 'close' },
    });
    assert.equal(status, 200);
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b);
}

const medianOf = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? 0;

for (const [name, attackOn] of Object.entries(attacks))
  test(`signed webhooks are accepted beside ${name}, and as fast as before when they end`, async (t) => {
    const [victim, team] = [await newTeam(), await newTeam()];
    const quiet = medianOf(await timesOf(team, 20));
    const attack = attackOn(`/api/import/${victim.integrationId}`);
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(attacker)}`), {
      workerData: {
        port: Number(new URL(baseUrl).port),
        piece: '',
        times: 0,
        pauseMs: 0,
        isAborted: false,
        ...attack,
      },
    });
    t.after(() => worker.terminate());
    await once(worker, 'message');
    const beside = await timesOf(team, 20);
    await worker.terminate();
    await timesOf(team, 5);
    const after = medianOf(await timesOf(team, 20));
    // The attacker, the product and the tests beside this one share the processors.
    const bound = Math.max(500, 20 * quiet);
    assert.ok(
      medianOf(beside) < bound,
      `half took over ${Math.round(medianOf(beside))} ms, ${Math.round(quiet)} ms alone`,
    );
    assert.ok(
      after < Math.max(100, 5 * quiet),
      `${Math.round(after)} ms after it, ${Math.round(quiet)} ms before`,
    );
  });
