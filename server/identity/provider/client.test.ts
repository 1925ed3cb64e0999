import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import pino from 'pino';
import type { Log } from '#platform/runtime/log.ts';
import { startIndependentProvider } from '#test/support/identity/independent-provider.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeProviderClient, type ProviderClient, type ProviderClientOptions } from './client.ts';

const homeUrl = 'http://localhost:8787';
const redirectUri = `${homeUrl}/api/auth/callback`;
const log: Log = pino({ level: 'silent' });

function client(issuer: string, options: Partial<ProviderClientOptions> = {}): ProviderClient {
  const made = makeProviderClient({
    issuer,
    clientId: 'client',
    clientSecret: 'secret',
    fetch: globalThis.fetch,
    log,
    redirectUri,
    homeUrl,
    ...options,
  });
  after(() => made.service.stop());
  return made;
}

/** A server that answers discovery as told and tells what else it was asked. */
async function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void, port = 0) {
  const server = createServer(answer).listen(port, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const endpointsOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ['code'],
});

for (const [what, answer, message] of [
  ['nothing there', (_issuer, response) => json(response, {}, 404), /answers 404. Check OIDC_ISSUER/],
  ['a page', (_issuer, response) => response.end('<html>'), /not a discovery document/],
  [
    'another issuer',
    (issuer, response) => json(response, endpointsOf(`${issuer}/other`)),
    /has the issuer http:.*\/other. Set OIDC_ISSUER to that value/,
  ],
  [
    'no token endpoint',
    (issuer, response) => json(response, { ...endpointsOf(issuer), token_endpoint: undefined }),
    /contains no token_endpoint/,
  ],
  [
    'a redirect',
    (_issuer, response) => response.writeHead(302, { location: 'http://evil.example/' }).end(),
    /answers 302/,
  ],
  [
    'no way to use the secret',
    (issuer, response) =>
      json(response, { ...endpointsOf(issuer), token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
    /does not accept a client secret \(private_key_jwt\)/,
  ],
] as [string, (issuer: string, response: ServerResponse) => void, RegExp][]) {
  test(`a provider whose discovery is wrong (${what}) fails the start and says what to do`, async () => {
    const issuer: string = await startServer((_request, response) => answer(issuer, response));
    await assert.rejects(client(issuer).service.start(), message);
  });
}

test('an https issuer whose keys are served without https fails the start', async () => {
  const issuer = 'https://id.example.com';
  const document = { ...endpointsOf(issuer), jwks_uri: 'http://id.example.com/keys' };
  const asking = client(issuer, { fetch: async () => Response.json(document) });
  await assert.rejects(asking.service.start(), /its jwks_uri does not use https/);
});

test('a provider that is unreachable at the start is discovered when it is back, without a sign-in', async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const away = client(issuer);
  await away.service.start();
  assert.equal(away.knownMetadata(), undefined);
  assert.equal((await away.refresh('token')).kind, 'unavailable');
  await startServer((_request, response) => json(response, endpointsOf(issuer)), port);
  await waitUntil('the provider to be found', () => away.knownMetadata()?.issuer === issuer);
});

test('an issuer that ends in a slash is discovered without the slash', async () => {
  const issuer: string = await startServer((_request, response) => json(response, endpointsOf(`${issuer}/`)));
  const found = client(issuer);
  await found.service.start();
  assert.equal(found.knownMetadata()?.issuer, `${issuer}/`);
});

for (const [methods, secret, expected] of [
  [['client_secret_basic', 'client_secret_post'], 's', 'basic'],
  [['client_secret_post'], 's', 'post'],
  [undefined, 's', 'basic'],
  [['none'], undefined, 'none'],
] as const) {
  test(`a provider that takes ${String(methods)} gets ${secret === undefined ? 'no secret' : 'the secret'} by ${expected}`, async () => {
    let seen = '';
    const issuer: string = await startServer((request, response) => {
      if (request.url !== '/token')
        return json(response, { ...endpointsOf(issuer), token_endpoint_auth_methods_supported: methods });
      request.setEncoding('utf8').on('data', (body: string) => {
        if (request.headers.authorization?.startsWith('Basic ')) seen = 'basic';
        else seen = body.includes('client_secret=') ? 'post' : 'none';
        json(response, { error: 'invalid_grant' }, 400);
      });
    });
    const asking = client(issuer, { clientSecret: secret });
    assert.equal((await asking.refresh('token')).kind, 'refused');
    assert.equal(seen, expected);
  });
}

test('Cognito is recognized by its issuer and ends sessions at its own page', async () => {
  const issuer = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc';
  const domain = 'https://team.auth.eu-west-1.amazoncognito.com';
  const fetch: typeof globalThis.fetch = async () =>
    Response.json({ ...endpointsOf(issuer), authorization_endpoint: `${domain}/oauth2/authorize` });
  const cognito = client(issuer, { clientSecret: undefined, fetch });
  await cognito.service.start();
  assert.equal(cognito.knownMetadata()?.revocation_endpoint, `${domain}/oauth2/revoke`);
  assert.equal(
    cognito.signOutUrl('an ID token'),
    `${domain}/logout?client_id=client&logout_uri=http%3A%2F%2Flocalhost%3A8787`,
  );
});

test('a provider without a revocation endpoint is not asked to revoke', async () => {
  const issuer: string = await startServer((_request, response) => json(response, endpointsOf(issuer)));
  const plain = client(issuer);
  await plain.service.start();
  assert.equal(await plain.revoke('token'), false);
  assert.equal(plain.signOutUrl('an ID token'), undefined);
});

test('an access token that only the provider can read is refused', async () => {
  const provider = await startIndependentProvider({ redirectUris: [redirectUri] });
  after(() => provider.stop());
  provider.answer = { status: 200, body: JSON.stringify({ access_token: 'opaque', token_type: 'Bearer' }) };
  const { issuer, clientId, clientSecret } = provider;
  const asking = client(issuer, { clientId, clientSecret });
  assert.equal((await asking.refresh('token')).kind, 'invalid');
});
