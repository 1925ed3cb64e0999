import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JWK } from 'jose';
import { newSignInUrl, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { updateRows } from '#test/support/database/rows.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { ownDocuments } from './own-documents.ts';

const { baseUrl, publicUrl, database } = await startTestProgram({}, ['api']);
const idTokenOf = (browser: CookieClient): string =>
  browser.cookies.get(`${new URL(publicUrl).host} idToken`)?.value ?? '';
const refresh = async (browser: CookieClient): Promise<number> =>
  (await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' })).status;

test('the discovery document contains the configured URLs, whatever host the request names', async () => {
  const answer = await fetch(`${baseUrl}/oidc/.well-known/openid-configuration`, {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  });
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = (await answer.json()) as Record<
    string,
    string
  >;
  assert.equal(issuer, `${publicUrl}/oidc`);
  assert.deepEqual(
    [authorization_endpoint, token_endpoint, jwks_uri].map((url) => new URL(url ?? '').origin),
    Array(3).fill(publicUrl),
  );
});

test('the built-in configuration of the provider equals the published one', async () => {
  const { keys } = (await (await fetch(`${baseUrl}/oidc/jwks`)).json()) as { keys: JWK[] };
  // A private part must not be published.
  const known = ownDocuments(`${publicUrl}/oidc`, () => keys.map((key) => ({ ...key, d: 'secret' })));
  assert.deepEqual(known.keys(), { keys });
  const discovery = await fetch(`${publicUrl}/oidc/.well-known/openid-configuration`);
  const published = (await discovery.json()) as object;
  assert.deepEqual({ ...published, ...known.metadata }, published);
});

test('a sign-in without a challenge is refused', async () => {
  const browser = await signInAsDemo(publicUrl);
  const url = await newSignInUrl(browser, publicUrl);
  for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
  const back = new URL((await browser.fetch(url)).headers.get('location') ?? '');
  assert.deepEqual(
    [back.pathname, back.searchParams.get('error'), back.searchParams.get('code')],
    ['/api/auth/callback', 'invalid_request', null],
  );
});

test('a session ends SESSION_MAX_DAYS after the sign-in, even if it was renewed', async () => {
  const browser = await signInAsDemo(publicUrl, 'Days');
  await database.asOwner(
    `update provider_state set payload = jsonb_set(payload, '{iiat}', to_jsonb((payload->>'iiat')::int - 10 * 86400))
     where model = 'RefreshToken'`,
  );
  assert.equal(await refresh(browser), 200);
  const [row] = await database.asOwner<{ days: number }>(
    `select round(extract(epoch from expires_at - now()) / 86400)::int as days from provider_state
     where model = 'RefreshToken' and payload->>'rotations' = '1'`,
  );
  assert.equal(row?.days, 20);
});

test('a session of an account that cannot sign in is not renewed', async () => {
  const browser = await signInAsDemo(publicUrl, 'Former');
  assert.equal(await refresh(browser), 200);
  await updateRows(database, 'provider_account', { source: 'forge' }, { name: 'Former' });
  assert.equal(await refresh(browser), 401);
});

test('a sign-out asks for confirmation without an ID token of the session', async () => {
  const [ann, ben] = [await signInAsDemo(publicUrl, 'Ann'), await signInAsDemo(publicUrl, 'Ben')];
  const signOut = (browser: CookieClient, hint?: string): Promise<Response> => {
    const query = new URLSearchParams({ post_logout_redirect_uri: publicUrl });
    if (hint !== undefined) query.set('id_token_hint', hint);
    return browser.fetch(`${publicUrl}/oidc/session/end?${query}`);
  };
  for (const hint of [undefined, idTokenOf(ben)]) {
    const asked = await signOut(ann, hint);
    assert.equal(asked.status, 200);
    assert.match(await asked.text(), /Sign out\?/);
    assert.match(asked.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  }
  const silent = await ann.fetch(await newSignInUrl(ann, publicUrl));
  assert.match(silent.headers.get('location') ?? '', /\/api\/auth\/callback\?code=/, 'still signed in there');

  const ended = await signOut(ann, idTokenOf(ann));
  assert.deepEqual([ended.status, ended.headers.get('location')], [303, `${publicUrl}/`]);
  const next = await ann.fetch(await newSignInUrl(ann, publicUrl));
  assert.match(next.headers.get('location') ?? '', /\/oidc\/interaction\//, 'asked again who it is');
});
