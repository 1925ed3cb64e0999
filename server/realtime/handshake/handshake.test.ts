import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { attempt, type Attempt } from '#test/support/realtime/handshake-attempt.ts';
import { testOrigin } from '#test/support/realtime/realtime-node.ts';
import { createRealtimeWorld } from '#test/support/realtime/realtime-world.ts';

const { newIntegration, startNode } = await createRealtimeWorld();
const { grant } = await newIntegration();

const node = await startNode();
const good = (): string => node.realtime.mintToken({ ...grant, sessionId: 'test' }).token;
test.after(() => node.stop());

test('a right handshake is accepted, with or without an allowed origin, and the token may come as a protocol', async () => {
  assert.equal((await attempt(node, grant)).status, 101);
  assert.equal((await attempt(node, grant, { headers: { origin: testOrigin } })).status, 101);
  const { status, headers } = await attempt(node, grant, {
    query: 'channel=workflows',
    headers: { 'sec-websocket-protocol': `workflows.v1, token.${good()}` },
  });
  assert.equal(status, 101);
  assert.equal(headers['sec-websocket-protocol'], 'workflows.v1');
});

const refusals: [what: string, status: number, code: string, attempt: () => Attempt][] = [
  ['another path', 404, 'not_found', () => ({ path: '/wss' })],
  ['a path below', 404, 'not_found', () => ({ path: '/ws/' })],
  ['another spelling of the path', 404, 'not_found', () => ({ path: '/%77s' })],
  ['POST', 405, 'method_not_allowed', () => ({ method: 'POST' })],
  ['another upgrade', 400, 'invalid_request', () => ({ headers: { upgrade: 'h2c' } })],
  ['no version', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-version': undefined } })],
  ['version 8', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-version': '8' } })],
  ['no key', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-key': undefined } })],
  ['a short key', 400, 'invalid_request', () => ({ headers: { 'sec-websocket-key': 'c2hvcnQ=' } })],
  ['a foreign origin', 403, 'origin_not_allowed', () => ({ headers: { origin: 'https://evil.example' } })],
  ['origin null', 403, 'origin_not_allowed', () => ({ headers: { origin: 'null' } })],
  ['an empty origin', 403, 'origin_not_allowed', () => ({ headers: { origin: '' } })],
  [
    'an origin that starts alike',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: `${testOrigin}.evil.example` } }),
  ],
  [
    'the origin with another scheme',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: testOrigin.replace('https', 'http') } }),
  ],
  [
    'the origin with a port',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: `${testOrigin}:8443` } }),
  ],
  ['two origins', 403, 'origin_not_allowed', () => ({ headers: { origin: `${testOrigin}, ${testOrigin}` } })],
  [
    'the origin in capitals',
    403,
    'origin_not_allowed',
    () => ({ headers: { origin: testOrigin.toUpperCase() } }),
  ],
  ['no channel', 400, 'invalid_request', () => ({ query: `token=${good()}` })],
  ['another channel', 400, 'invalid_request', () => ({ query: `token=${good()}&channel=jobs` })],
  [
    'the channel twice',
    400,
    'invalid_request',
    () => ({ query: `token=${good()}&channel=workflows&channel=workflows` }),
  ],
  ['no token', 401, 'unauthenticated', () => ({ query: 'channel=workflows' })],
  ['an empty token', 401, 'unauthenticated', () => ({ query: 'token=&channel=workflows' })],
  ['a wrong token', 401, 'unauthenticated', () => ({ query: `token=${good()}x&channel=workflows` })],
  [
    'the token twice',
    401,
    'unauthenticated',
    () => ({ query: `token=${good()}&token=${good()}&channel=workflows` }),
  ],
  [
    'tokens in both places',
    401,
    'unauthenticated',
    () => ({ headers: { 'sec-websocket-protocol': `workflows.v1, token.${good()}` } }),
  ],
  [
    'a token for an integration the person has left',
    403,
    'insufficient_role',
    () => {
      const { token } = node.realtime.mintToken({
        userId: grant.userId,
        sessionId: 'test',
        integrationIds: [randomUUID()],
      });
      return { query: `token=${token}&channel=workflows` };
    },
  ],
];

for (const [what, status, code, make] of refusals) {
  test(`${what} is refused with ${status} ${code} before the upgrade`, async () => {
    const answer = await attempt(node, grant, make());
    assert.equal(answer.status, status);
    assert.equal(answer.headers['content-type'], 'application/problem+json');
    assert.equal(answer.problem?.code, code);
    assert.equal(answer.problem?.requestId, answer.headers['x-request-id']);
    if (what === 'version 8') assert.equal(answer.headers['sec-websocket-version'], '13');
  });
}

test('the cheaper refusal comes first when several are due', async () => {
  const foreign = { headers: { origin: 'https://evil.example' } };
  assert.equal((await attempt(node, grant, { ...foreign, query: 'channel=none' })).status, 403);
  assert.equal((await attempt(node, grant, { query: 'channel=none&token=x' })).status, 400);
  assert.equal((await attempt(node, grant, { ...foreign, path: '/other' })).status, 404);
});

test('an expired token is refused, and the very clock decides', async () => {
  let now = Date.now();
  const timed = await startNode({ clock: () => now });
  const { token } = timed.realtime.mintToken({ ...grant, sessionId: 'test' });
  const query = `token=${token}&channel=workflows`;
  now += 60_000;
  assert.equal((await attempt(timed, grant, { query })).status, 101);
  now += 5_000;
  assert.equal((await attempt(timed, grant, { query })).status, 401);
  await timed.stop();
});

test('nothing that is logged ever holds a token', async () => {
  const { token } = node.realtime.mintToken({ ...grant, sessionId: 'test' });
  await attempt(node, grant, { query: `token=${token}&channel=none` });
  await attempt(node, grant, { query: `token=${token}&channel=workflows`, headers: { origin: 'null' } });
  await attempt(node, grant, {
    query: 'channel=none',
    headers: { 'sec-websocket-protocol': `token.${token}` },
  });
  assert.match(node.logged(), /handshake refused/);
  const signature = token.split('.')[2] ?? '';
  assert.ok(!node.logged().includes(signature));
  assert.doesNotMatch(node.logged(), /token[=.]/);
});
