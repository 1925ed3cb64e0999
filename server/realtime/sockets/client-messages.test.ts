import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRealtimeWorld } from '#test/support/realtime/realtime-world.ts';
import { connect } from '#test/support/realtime/test-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { insertIntegration, newIntegration, startNode } = await createRealtimeWorld();
const { grant } = await newIntegration();
const node = await startNode();
test.after(() => node.stop());

test('a ping is answered to those who asked for control messages, and to nobody else', async () => {
  const [control, plain] = [await connect(node, grant, { isControl: true }), await connect(node, grant)];
  for (const { ws } of [control, plain]) ws.send('{"type":"ping"}');
  await waitUntil('a pong', () => control.messages.some(({ type }) => type === 'pong'));
  assert.deepEqual(plain.messages, []);
  for (const { ws } of [control, plain]) ws.terminate();
});

const offences: [what: string, code: number, data: string | Buffer][] = [
  ['what is not JSON', 4001, 'hello'],
  ['an unknown type', 4001, '{"type":"subscribe"}'],
  ['an array', 4001, '[]'],
  ['a cursor without a number', 4001, '{"type":"resume","cursors":{"x":{"epoch":"a","seq":"1"}}}'],
  ['a cursor below zero', 4001, '{"type":"resume","cursors":{"x":{"epoch":"a","seq":-1}}}'],
  ['a binary frame', 1003, Buffer.from('{"type":"ping"}')],
  ['a message over 4 KiB', 1009, `"${'x'.repeat(4_096)}"`],
];

for (const [what, code, data] of offences) {
  test(`${what} closes the socket with ${code}`, async () => {
    const client = await connect(node, grant);
    client.ws.send(data);
    assert.equal(await client.closed, code);
  });
}

test('more than ten messages a second close the socket with 4429', async () => {
  const client = await connect(node, grant, { isControl: true });
  for (let count = 0; count < 30; count += 1) client.ws.send('{"type":"ping"}');
  assert.equal(await client.closed, 4429);
  assert.ok(client.messages.filter(({ type }) => type === 'pong').length <= 20);
});

test('a resume that names integrations of others, or none that exist, changes nothing', async () => {
  const foreign = await insertIntegration();
  const client = await connect(node, grant, { isControl: true });
  const cursors = {
    [foreign]: { epoch: 'x', seq: 0 },
    toString: { epoch: 'x', seq: 0 },
    __proto__: { epoch: 'x', seq: 0 },
  };
  client.ws.send(JSON.stringify({ type: 'resume', cursors }));
  client.ws.send('{"type":"ping"}');
  await waitUntil('a pong', () => client.messages.some(({ type }) => type === 'pong'));
  assert.deepEqual(
    client.messages.map(({ type }) => type),
    ['hello', 'pong'],
  );
  client.ws.terminate();
});

test('a socket that is too old is closed with 4205 and may come back', async () => {
  const aging = await startNode({ policy: { maxAgeMs: 50, sweepEveryMs: 10 } });
  const client = await connect(aging, grant);
  assert.equal(await client.closed, 4205);
  await aging.stop();
});
