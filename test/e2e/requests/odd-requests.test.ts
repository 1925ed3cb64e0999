import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { refused, startTeamProduct } from '#test/support/team/team.ts';

const product = await startTeamProduct({ API_REQUESTS_PER_MINUTE: '1000000' });
const { baseUrl } = product;
const team = await product.newTeam();
const shouted = team.integrationId.toUpperCase();

test('an id in capitals is no id: it tells nothing, and changes nothing', async () => {
  const ping = { event: 'ping', payload: { zen: 'calm' } };
  const post = (integrationId: string, webhookSecret: string) =>
    postWebhook(baseUrl, { ...team, integrationId, webhookSecret }, ping);
  const answers = await Promise.all([
    post(shouted, 'a guess'),
    post(shouted, team.webhookSecret),
    post('0AAAAAAA-0AAA-4AAA-8AAA-0AAAAAAAAAAA', 'a guess'),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401],
  );
  const rotated = await team.owner.call('POST', `/api/integrations/${shouted}/rotate-secret`, {});
  refused(rotated, 403, 'insufficient_role');
  assert.equal((await post(team.integrationId, team.webhookSecret)).status, 200);
});

test('a text longer than any id is refused like an unknown id', async () => {
  const integrationId = 'x'.repeat(300);
  const posted = await postWebhook(baseUrl, { ...team, integrationId }, { event: 'ping', payload: {} });
  assert.equal(posted.status, 401);
  assert.equal((await fetch(`${baseUrl}/api/integrations/${integrationId}`)).status, 401);
  refused(await team.owner.call('GET', `/api/integrations/${integrationId}`), 403, 'insufficient_role');
});

test('texts that no database takes, and times that no clock shows, are refused by the name of the field', async () => {
  const odd = ['a\0b', '\ud800'];
  const queries = [
    ...['metrics?repository', 'metrics?workflow', 'incidents?repository', 'deliveries?q'].map(
      (start) => [`${start}=%00`, start.split('?')[1]] as const,
    ),
    ...[
      '9999-12-31T23:59:59Z',
      '0001-01-01T00:00:00Z',
      '2026-06-30T23:59:60Z',
      '1969-12-31T23:59:60.999Z',
    ].flatMap((time) =>
      ['metrics', 'event-log', 'deliveries', 'workflows'].map(
        (path) => [`${path}?to=${time}`, 'to'] as const,
      ),
    ),
  ];
  for (const [query, field] of queries) {
    const answer = await team.viewer.call('GET', team.path(`/${query}`));
    refused(answer, 400, 'invalid_request');
    assert.equal((answer.body['errors'] as { field: string }[])[0]?.field, field, query);
  }
  for (const text of odd) {
    refused(await team.owner.call('POST', '/api/integrations', { label: text }), 400, 'invalid_request');
    for (const fields of [{ name: text }, { name: 'x', branches: { include: [text], exclude: [] } }])
      refused(
        await team.member.call('POST', team.path('/notification-rules'), fields),
        400,
        'invalid_request',
      );
  }
  refused(
    await team.member.call('POST', team.path('/notification-rules'), { name: '  ' }),
    400,
    'invalid_request',
  );
});

test('a text that only resembles a number is refused', async () => {
  for (const path of ['/workflows?limit=2.5', '/workflows?limit=1e1', '/workflows/1.5', '/workflows/0x1'])
    refused(await team.viewer.call('GET', team.path(path)), 400, 'invalid_request');
});

test('a field where none is expected is refused, and nothing is done', async () => {
  refused(await team.owner.call('DELETE', team.path(''), { label: 'x' }), 400, 'invalid_request');
  refused(await team.member.call('POST', team.path('/leave'), { x: 1 }), 400, 'invalid_request');
  assert.equal((await team.member.call('GET', team.path(''))).status, 200);
});

test('a rule that says its name alone takes every bad end of everything', async () => {
  const { status, body } = await team.member.call('POST', team.path('/notification-rules'), { name: 'All' });
  assert.equal(status, 201);
  assert.deepEqual(body['conclusions'], ['failure', 'timed_out', 'startup_failure', 'action_required']);
  assert.deepEqual(body['events'], ['run', 'job']);
  assert.equal(body['enabled'], true);
});

/** Sent byte by byte as written, as no client would. */
async function send(text: string): Promise<{ status: number; headers: string; body: string }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end(text);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await once(socket, 'close');
  const [headers = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers, body };
}

for (const [what, text, status] of [
  ['a broken escape', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['a method that is none', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
] as const) {
  test(`${what} is answered with a problem that bears the id of the request`, async () => {
    const answer = await send(text);
    assert.equal(answer.status, status);
    assert.match(answer.headers, /content-type: application\/problem\+json/i);
    const id = /x-request-id: ([0-9a-f-]{36})/i.exec(answer.headers)?.[1];
    assert.equal((JSON.parse(answer.body) as { requestId: string }).requestId, id);
  });
}

test('HTTP/1.0, as health checks of proxies use it, needs no Host', async () => {
  assert.equal((await send('GET /healthz HTTP/1.0\r\n\r\n')).status, 200);
});

test('a webhook of a client that offers HTTP/2 with it is taken as any other', async () => {
  const headers = [
    'Host: x',
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
  ];
  const answer = await send(
    ['POST /api/import/x HTTP/1.1', ...headers, 'Content-Length: 2', '', '{}'].join('\r\n'),
  );
  assert.equal(answer.status, 401);
  assert.match(answer.body, /invalid_signature/);
});

test('OPTIONS without the headers of a preflight is no mistake', async () => {
  assert.equal((await fetch(`${baseUrl}/healthz`, { method: 'OPTIONS' })).status, 204);
});

test('only what asks for a page gets the app; a mistyped probe gets 404', async () => {
  const status = async (path: string, accept: string) =>
    (await fetch(baseUrl + path, { headers: { accept } })).status;
  for (const path of ['/healthz/', '/metrics/x', '/docs/nope', '/API/IMPORT/x', '/ws'])
    assert.equal(await status(path, 'text/html,*/*'), 404, path);
  assert.equal(await status('/integrations/x/runs', '*/*'), 404);
  assert.equal(await status('/integrations/x/runs', 'text/html'), 200);
  assert.equal(await status('/', '*/*'), 200);
});

test('the page of the app is framed by nobody and loads its own files alone', async () => {
  const response = await fetch(baseUrl, { headers: { accept: 'text/html' } });
  const { headers } = response;
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of [
    "default-src 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
  ])
    assert.ok(policy.includes(directive), directive);
  assert.doesNotMatch(policy, /unsafe/);
  const [, script = ''] = /<script>([^]*?)<\/script>/.exec(await response.text()) ?? [];
  assert.ok(script.length > 0);
  assert.ok(policy.includes(`;script-src 'self' 'sha256-${hash('sha256', script, 'base64')}';`), policy);
});

test('the reference names the status that each operation answers with', async () => {
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  for (const { method, path, answer } of product.program.routes) {
    const known = paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses ?? {};
    assert.ok(String(answer?.status ?? 200) in known, `${method} ${path}`);
  }
});
