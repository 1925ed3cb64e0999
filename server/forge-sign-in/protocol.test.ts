import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { makeCookieClient } from '#test/support/cookie-client.ts';
import { startOAuthForge, type ForgePerson } from '#test/support/oauth-forge.ts';
import { startTestProgram } from '#test/support/test-program.ts';

const forge = await startOAuthForge('github');
const redirectUri = 'https://pool.auth.eu-central-1.amazoncognito.com/oauth2/idpresponse';
const product = await startTestProgram(
  {
    FORGE_URL: forge.url,
    FORGE_API_URL: `${forge.url}/api`,
    FORGE_CLIENT_ID: forge.clientId,
    FORGE_CLIENT_SECRET: forge.clientSecret,
    COGNITO_REDIRECT_URL: redirectUri,
  },
  ['api'],
);
const issuer = `${product.publicUrl}/api/auth/cognito`;
const octocat: ForgePerson = {
  id: 583231,
  login: 'octocat',
  name: null,
  emails: [
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'octocat@example.com', primary: true, verified: true },
  ],
};
/** Cognito's is long; forges refuse such a one from people with a second factor. */
const longState = 'H4sIAAAA'.repeat(200);
const request = {
  client_id: forge.clientId,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid read:user user:email',
  state: longState,
};

const authorize = (changes: Record<string, string> = {}) =>
  makeCookieClient().fetch(`${issuer}/authorize?${new URLSearchParams({ ...request, ...changes })}`);

/** The client's answer after somebody went to the forge and back. */
async function comeBack(changes: Record<string, string> = {}): Promise<URL> {
  const browser = makeCookieClient();
  let url = new URL(`${issuer}/authorize?${new URLSearchParams({ ...request, ...changes })}`);
  while (url.origin !== new URL(redirectUri).origin) {
    const answer = await browser.fetch(url);
    assert.equal(answer.status, 302, `${url.pathname}: ${answer.status}`);
    url = new URL(answer.headers.get('location') ?? '', url);
  }
  return url;
}

const newCode = async (changes?: Record<string, string>): Promise<string> => {
  forge.person = octocat;
  return (await comeBack(changes)).searchParams.get('code') ?? '';
};

function token(form: Record<string, string>): Promise<Response> {
  const all = {
    grant_type: 'authorization_code',
    client_id: forge.clientId,
    client_secret: forge.clientSecret,
    redirect_uri: redirectUri,
    ...form,
  };
  return fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(all) });
}

async function refused(answer: Response, status: number, error: string): Promise<void> {
  assert.deepEqual([answer.status, ((await answer.json()) as { error: string }).error], [status, error]);
}

test('Cognito finds everything by discovery, under the configured address whatever host it asks', async () => {
  const answer = await fetch(`${product.baseUrl}/api/auth/cognito/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-host': 'evil.example' },
  });
  const document = (await answer.json()) as Record<string, unknown>;
  assert.equal(document['issuer'], issuer);
  assert.equal(document['token_endpoint'], `${issuer}/token`);
  assert.deepEqual(document['token_endpoint_auth_methods_supported'], ['client_secret_post']);
  assert.doesNotMatch(JSON.stringify(document), /evil|127\.0\.0\.1/);
});

test('a code is exchanged for a token of the forge and an ID token that the published keys verify', async () => {
  const code = await newCode({ nonce: 'a nonce of Cognito' });
  assert.ok(code.length > 0 && code.length <= 512, `${code.length} characters`);
  const answer = await token({ code });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const tokens = (await answer.json()) as Record<string, string>;
  assert.deepEqual(Object.keys(tokens).toSorted(), [
    'access_token',
    'expires_in',
    'id_token',
    'scope',
    'token_type',
  ]);
  assert.equal(tokens['scope'], 'openid read:user user:email');
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  const { payload } = await jwtVerify(tokens['id_token'] ?? '', keys, {
    issuer,
    audience: forge.clientId,
    algorithms: ['RS256'],
  });
  assert.deepEqual([payload.sub, payload['nonce']], ['583231', 'a nonce of Cognito']);
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300);
  assert.match(decodeProtectedHeader(tokens['id_token'] ?? '').kid ?? '', /^[\w-]{43}$/);

  for (const [method, path] of [
    ['GET', 'userinfo'],
    ['POST', 'userinfo'],
    ['GET', 'user'],
  ] as const) {
    const info = await fetch(`${issuer}/${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens['access_token']}` },
    });
    assert.deepEqual(await info.json(), {
      sub: '583231',
      forge_id: '583231',
      nickname: 'octocat',
      preferred_username: 'octocat',
      name: 'octocat',
      picture: `${forge.url}/avatars/583231`,
      profile: `${forge.url}/octocat`,
      email: 'octocat@example.com',
      email_verified: true,
      updated_at: 1793491200,
    });
  }
});

test("the client's own state comes back whole, and the forge never sees it", async () => {
  forge.person = octocat;
  const url = await comeBack();
  assert.equal(url.searchParams.get('state'), longState);
  const atForge = new URL((await authorize()).headers.get('location') ?? '');
  assert.match(atForge.searchParams.get('state') ?? '', /^[\w-]{22}$/);
  assert.equal(atForge.searchParams.get('code_challenge_method'), 'S256');
});

test('who denies it at the forge comes back with the reason', async () => {
  forge.person = undefined;
  const url = await comeBack();
  assert.deepEqual(
    [url.searchParams.get('error'), url.searchParams.get('code'), url.searchParams.get('state')],
    ['access_denied', null, longState],
  );
});

for (const [title, changes] of [
  ['another client', { client_id: 'another' }],
  ['another place to return to', { redirect_uri: 'https://evil.example/' }],
  ['a place that only begins like the right one', { redirect_uri: `${redirectUri}/../x` }],
  ['another flow', { response_type: 'token' }],
  ['no OpenID', { scope: 'read:user' }],
  ['no state', { state: '' }],
  ['a state too long for a cookie', { state: 'x'.repeat(2049) }],
  ['a nonce too long for a code', { nonce: 'x'.repeat(129) }],
  ['a plain challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
  ['a challenge that is none', { code_challenge: 'x', code_challenge_method: 'S256' }],
] as const) {
  test(`a request with ${title} is refused here and sends nobody anywhere`, async () => {
    const answer = await authorize(changes);
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('location'), null);
  });
}

test('wrong credentials are refused before the forge is asked anything', async () => {
  const code = await newCode();
  const before = forge.calls.length;
  await refused(await token({ code, client_secret: 'wrong' }), 401, 'invalid_client');
  await refused(await token({ code, client_id: 'wrong' }), 401, 'invalid_client');
  await refused(await token({ code, client_secret: '' }), 401, 'invalid_client');
  assert.equal(forge.calls.length, before);
});

test('a code is good once, for who asked for it, as it was given out', async () => {
  const code = await newCode();
  await refused(await token({ code, redirect_uri: 'https://evil.example/' }), 400, 'invalid_grant');
  await refused(await token({ code, code_verifier: 'v'.repeat(43) }), 400, 'invalid_grant');
  await refused(await token({ code: changed(code) }), 400, 'invalid_grant');
  await refused(await token({ code: 'x'.repeat(513) }), 400, 'invalid_grant');
  await refused(await token({ code, grant_type: 'refresh_token' }), 400, 'unsupported_grant_type');
  assert.equal((await token({ code })).status, 200);
  await refused(await token({ code }), 400, 'invalid_grant');
});

/** In the middle of the tag: the last character of base64 may hold bits that count for nothing. */
function changed(code: string): string {
  const at = code.length - 10;
  return code.slice(0, at) + (code[at] === 'A' ? 'B' : 'A') + code.slice(at + 1);
}

test('a client that began with a challenge must show its verifier', async () => {
  const challenge = {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const code = await newCode(challenge);
  await refused(await token({ code }), 400, 'invalid_grant');
  // The pair of RFC 7636, appendix B.
  const verified = await token({ code, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' });
  assert.equal(verified.status, 200);
});

test('tokens are taken from the header alone, and what is none never reaches the forge', async () => {
  const before = forge.calls.length;
  for (const headers of [
    {},
    { authorization: 'Bearer a b' },
    { authorization: `Bearer ${'x'.repeat(513)}` },
    { authorization: 'Basic eDp4' },
  ]) {
    const answer = await fetch(`${issuer}/userinfo?access_token=abc`, { headers });
    assert.match(answer.headers.get('www-authenticate') ?? '', /invalid_token/);
    await refused(answer, 401, 'invalid_token');
  }
  assert.equal(forge.calls.length, before);
  await refused(
    await fetch(`${issuer}/userinfo`, { headers: { authorization: 'Bearer unknown' } }),
    401,
    'invalid_token',
  );
});

test('a forge that fails is 502, without its words', async () => {
  const code = await newCode();
  forge.failWith = 500;
  const answers = [
    await token({ code }),
    await fetch(`${issuer}/userinfo`, { headers: { authorization: 'Bearer new' } }),
  ];
  forge.failWith = undefined;
  for (const answer of answers) {
    assert.equal(answer.status, 502);
    assert.doesNotMatch(await answer.text(), /busy/);
  }
});

test('other forms of the token request are refused', async () => {
  assert.equal((await fetch(`${issuer}/token?code=x`)).status, 405);
  const asJson = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  await refused(await fetch(`${issuer}/token`, asJson), 400, 'invalid_request');
  const twice = new URLSearchParams([
    ['client_id', forge.clientId],
    ['client_id', forge.clientId],
  ]);
  await refused(await fetch(`${issuer}/token`, { method: 'POST', body: twice }), 400, 'invalid_request');
});

test('no code, token or secret is in the log', () => {
  for (const secret of [...forge.secrets, forge.clientSecret])
    assert.equal(product.logged().includes(secret), false);
});

test('without an OAuth application of the forge it says what is missing', async () => {
  const bare = await startTestProgram({}, ['api']);
  const answer = await fetch(`${bare.baseUrl}/api/auth/cognito/.well-known/openid-configuration`);
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as { code: string }).code, 'forge_sign_in_not_configured');
});
