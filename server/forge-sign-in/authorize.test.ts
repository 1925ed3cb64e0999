import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longState, octocat, startForgeSignIn } from '#test/support/identity/forge-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

const { forge, product, issuer, redirectUri, authorize, comeBack } = await startForgeSignIn();

test('the discovery document contains the configured URLs, whatever host the request names', async () => {
  const answer = await fetch(`${product.baseUrl}/api/auth/cognito/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-host': 'evil.example' },
  });
  const document = (await answer.json()) as Record<string, unknown>;
  assert.equal(document['issuer'], issuer);
  assert.equal(document['token_endpoint'], `${issuer}/token`);
  assert.deepEqual(document['token_endpoint_auth_methods_supported'], ['client_secret_post']);
  assert.doesNotMatch(JSON.stringify(document), /evil|127\.0\.0\.1/);
});

test('the client gets its own state back, and the forge gets another one', async () => {
  forge.person = octocat;
  const url = await comeBack();
  assert.equal(url.searchParams.get('state'), longState);
  const atForge = new URL((await authorize()).headers.get('location') ?? '');
  assert.match(atForge.searchParams.get('state') ?? '', /^[\w-]{22}$/);
  assert.equal(atForge.searchParams.get('code_challenge_method'), 'S256');
});

test('a person who denies access at the forge returns to the client with access_denied', async () => {
  forge.person = undefined;
  const url = await comeBack();
  assert.deepEqual(
    [url.searchParams.get('error'), url.searchParams.get('code'), url.searchParams.get('state')],
    ['access_denied', null, longState],
  );
});

for (const [title, changes] of [
  ['another client', { client_id: 'another' }],
  ['another redirect URI', { redirect_uri: 'https://evil.example/' }],
  ['a redirect URI that starts like the allowed one', { redirect_uri: `${redirectUri}/../x` }],
  ['another flow', { response_type: 'token' }],
  ['no openid scope', { scope: 'read:user' }],
  ['no state', { state: '' }],
  ['a state too long for a cookie', { state: 'x'.repeat(2049) }],
  ['a nonce too long for a code', { nonce: 'x'.repeat(129) }],
  ['a plain challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
  ['an invalid challenge', { code_challenge: 'x', code_challenge_method: 'S256' }],
] as const) {
  test(`a request with ${title} is refused without a redirect`, async () => {
    const answer = await authorize(changes);
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('location'), null);
  });
}

test('a request with a repeated parameter is refused', async () => {
  const { url } = await authorize({ state: '' });
  for (const name of ['redirect_uri', 'state', 'client_id']) {
    const query = new URL(url);
    query.searchParams.set('state', longState);
    query.searchParams.append(name, query.searchParams.get(name) ?? '');
    assert.equal((await fetch(query, { redirect: 'manual' })).status, 400, name);
  }
});

test('the endpoints answer 503 when the forge sign-in is not configured', async () => {
  const bare = await startTestProgram({}, ['api']);
  const answer = await fetch(`${bare.baseUrl}/api/auth/cognito/.well-known/openid-configuration`);
  assert.equal(answer.status, 503);
  assert.equal(((await answer.json()) as { code: string }).code, 'forge_sign_in_not_configured');
});
