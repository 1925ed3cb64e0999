import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

const { baseUrl, publicUrl: own } = await startTestProgram({}, ['api']);
const browser = await signInAsDemo(own);
const foreign = 'https://evil.example';

const code = async (response: Response) => ((await response.json()) as { code: string }).code;

for (const [path, init] of [
  ['/api/integrations', {}],
  ['/api/nowhere', {}],
  ['/healthz', {}],
  ['/oidc/.well-known/openid-configuration', {}],
  ['/api/import/x', { method: 'POST', body: '{}' }],
  ['/api/import/%78', {}],
  ['/api/import/compressed', { method: 'POST', body: '{}', headers: { 'content-encoding': 'gzip' } }],
] as const) {
  test(`${path} says that its answer depends on the origin, and how browsers must treat it`, async () => {
    const { headers } = await fetch(`${baseUrl}${path}`, init);
    assert.match(headers.get('vary') ?? '', /\borigin\b/i);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{8}/);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  });
}

test('a file of the web app has one version for all origins, so that an import finds what a fetch has cached', async (t) => {
  const page = await fetch(`${baseUrl}/`, { headers: { accept: 'text/html' } });
  if (page.status === 404) return t.skip('not built: npm run build');
  const [, file = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  for (const headers of [{}, { origin: own }, { origin: foreign }]) {
    const answer = await fetch(baseUrl + file, { headers });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
    assert.doesNotMatch(answer.headers.get('vary') ?? '', /origin|\*/i);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
  }
});

test('caches keep no response that belongs to one person', async () => {
  for (const [path, init] of [
    ['/api/user', {}],
    ['/api/integrations', { headers: { cookie: '' } }],
    ['/api/nowhere', {}],
  ] as const)
    assert.equal((await browser.fetch(own + path, init)).headers.get('cache-control'), 'no-store', path);
});

test('a preflight from an allowed origin is answered before anybody signs in', async () => {
  const answer = await fetch(`${baseUrl}/api/integrations`, {
    method: 'OPTIONS',
    headers: {
      origin: own,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get('access-control-allow-origin'), own);
  assert.equal(answer.headers.get('access-control-allow-credentials'), 'true');
});

for (const origin of [foreign, 'null', `${own}, ${foreign}`, `${own}/`]) {
  test(`the origin ${origin} is given nothing`, async () => {
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await fetch(`${baseUrl}/api/integrations`, {
        method,
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      const given = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(given, [], method);
    }
  });
}

/** Title, headers, body, and the answer: status and code. */
const bodies: [string, Record<string, string>, string, number, string][] = [
  ['text', { 'content-type': 'text/plain' }, '{"label":"x"}', 415, 'unsupported_media_type'],
  [
    'a form',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'label=x',
    415,
    'unsupported_media_type',
  ],
  [
    'compressed',
    { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    '{}',
    415,
    'unsupported_media_type',
  ],
  ['cut off', { 'content-type': 'application/json' }, '{"label":', 400, 'invalid_json'],
  [
    'reaching for a prototype',
    { 'content-type': 'application/json' },
    '{"__proto__":{"a":1}}',
    400,
    'invalid_json',
  ],
  ['nested without end', { 'content-type': 'application/json' }, '['.repeat(5000), 400, 'invalid_request'],
  ['too large', { 'content-type': 'application/json' }, `"${'x'.repeat(300_000)}"`, 413, 'payload_too_large'],
];

for (const [title, headers, body, status, expected] of bodies) {
  test(`a body that is ${title} is refused with ${status} ${expected}`, async () => {
    const answer = await browser.fetch(`${own}/api/integrations`, { method: 'POST', headers, body });
    assert.equal(answer.status, status);
    assert.equal(await code(answer), expected);
  });
}

/** As sent: `fetch` would tidy the path up. Answers the status. */
async function statusOf(target: string): Promise<number> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(first.toString('latin1').slice(9, 12));
}

for (const [target, status] of [
  ['/api/import/../integrations/x', 400],
  ['/api/import/%2e%2e/integrations/x', 400],
  ['/api/import/..%2fintegrations/x', 400],
  ['//evil/api', 400],
  ['/api/auth/callback-evil', 401],
  ['/api/auth/callback/x', 401],
  ['/api/auth/callback/forge/x', 401],
  ['/API/IMPORT/x', 404],
  ['/api/forge/\\..\\x', 400],
  ['/%61pi/user', 400],
  ['/api/import/%78', 400],
] as const) {
  test(`${target} never reaches a handler`, async () => {
    assert.equal(await statusOf(target), status);
  });
}

test('an answer is not compressed with an encoding that the client excludes', async () => {
  for (const [accepted, encoding] of [
    ['gzip;q=0, *', null],
    ['*, GZIP ; q=0.000', null],
    ['gzip;q=0.001, *', 'gzip'],
    ['gzip', 'gzip'],
  ] as const) {
    const { headers } = await fetch(`${baseUrl}/openapi.json`, { headers: { 'accept-encoding': accepted } });
    assert.equal(headers.get('content-encoding'), encoding, accepted);
  }
});

test('a long answer is compressed for who accepts that, a short one is not', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  assert.equal((await fetch(`${baseUrl}/openapi.json`, { headers })).headers.get('content-encoding'), 'gzip');
  assert.equal((await fetch(`${baseUrl}/healthz`, { headers })).headers.get('content-encoding'), null);
});

test('a client that writes an address into a request is counted by the address it comes from', async () => {
  const begin = async (address: string): Promise<number> => {
    const headers = { 'x-forwarded-for': address };
    return (await fetch(`${baseUrl}/api/auth/callback`, { headers })).status;
  };
  const statuses = [];
  for (let count = 0; count < 21; count++) statuses.push(await begin(`192.0.2.${count}`));
  assert.equal(statuses.at(-1), 429);
});
