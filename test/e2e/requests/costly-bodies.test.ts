import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { baseUrl, newTeam } = product;

/** Opens connections again and again, each with 20,000 chunks of one byte for a stranger's webhook URL. */
const drip = `
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from 'node:net';
const { port, path } = workerData;
const head = 'POST ' + path + ' HTTP/1.1\\r\\nHost: x\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n';
const sent = Buffer.from(head + '1\\r\\nx\\r\\n'.repeat(20_000));
let opened = 0;
const open = () => {
  opened += 1;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.on('connect', () => socket.end(sent)).on('close', () => setImmediate(open));
  socket.resume();
};
for (let n = 0; n < 50; n += 1) open();
setInterval(() => parentPort.postMessage(opened), 20);
`;

test('signed webhooks are accepted beside a client that sends bodies in pieces of one byte', async () => {
  const [victim, team] = [await newTeam(), await newTeam()];
  const { port } = new URL(baseUrl);
  const path = `/api/import/${victim.integrationId}`;
  const attacker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(drip)}`), {
    workerData: { port: Number(port), path },
  });
  const attack = { opened: 0 };
  attacker.on('message', (count: number) => (attack.opened = count));
  await once(attacker, 'message');
  const took: number[] = [];
  // Until the attack has had hundreds of connections: without a bound each of them costs tens of milliseconds.
  while (attack.opened < 500) {
    const from = performance.now();
    const sent = await postWebhook(baseUrl, team, {
      event: 'ping',
      payload: { ...runPayload(), zen: 'x' },
      headers: { connection: 'close' },
    });
    assert.equal(sent.status, 200);
    took.push(performance.now() - from);
    assert.ok(took.length < 20_000, 'the attack goes on');
  }
  await attacker.terminate();
  took.sort((a, b) => a - b);
  const median = took[took.length >> 1] ?? 0;
  assert.ok(median < 500, `half of the webhooks took over ${Math.round(median)} ms`);
});
