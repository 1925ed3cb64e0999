import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { assertRefused, startForgeSignIn } from '#test/support/identity/forge-sign-in.ts';

const { forge, product, issuer, newCode, token } = await startForgeSignIn();

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

test('wrong credentials are refused without a call to the forge', async () => {
  const code = await newCode();
  const before = forge.calls.length;
  await assertRefused(await token({ code, client_secret: 'wrong' }), 401, 'invalid_client');
  await assertRefused(await token({ code, client_id: 'wrong' }), 401, 'invalid_client');
  await assertRefused(await token({ code, client_secret: '' }), 401, 'invalid_client');
  assert.equal(forge.calls.length, before);
});

test('a code is valid once, unchanged, and only for the client that requested it', async () => {
  const code = await newCode();
  await assertRefused(await token({ code, redirect_uri: 'https://evil.example/' }), 400, 'invalid_grant');
  await assertRefused(await token({ code, code_verifier: 'v'.repeat(43) }), 400, 'invalid_grant');
  await assertRefused(await token({ code: changed(code) }), 400, 'invalid_grant');
  await assertRefused(await token({ code: 'x'.repeat(513) }), 400, 'invalid_grant');
  await assertRefused(await token({ code, grant_type: 'refresh_token' }), 400, 'unsupported_grant_type');
  assert.equal((await token({ code })).status, 200);
  await assertRefused(await token({ code }), 400, 'invalid_grant');
});

/** In the middle of the tag: the last character of base64 may hold bits that count for nothing. */
function changed(code: string): string {
  const at = code.length - 10;
  return code.slice(0, at) + (code[at] === 'A' ? 'B' : 'A') + code.slice(at + 1);
}

test('a client that sent a challenge must send its verifier', async () => {
  const challenge = {
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const code = await newCode(challenge);
  await assertRefused(await token({ code }), 400, 'invalid_grant');
  // The pair of RFC 7636, appendix B.
  const verified = await token({ code, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' });
  assert.equal(verified.status, 200);
});

test('user info accepts a token only in the header, and sends no malformed token to the forge', async () => {
  const before = forge.calls.length;
  for (const headers of [
    {},
    { authorization: 'Bearer a b' },
    { authorization: `Bearer ${'x'.repeat(4097)}` },
    { authorization: 'Basic eDp4' },
  ]) {
    const answer = await fetch(`${issuer}/userinfo?access_token=abc`, { headers });
    assert.match(answer.headers.get('www-authenticate') ?? '', /invalid_token/);
    await assertRefused(answer, 401, 'invalid_token');
  }
  assert.equal(forge.calls.length, before);
  await assertRefused(
    await fetch(`${issuer}/userinfo`, { headers: { authorization: 'Bearer unknown' } }),
    401,
    'invalid_token',
  );
});

test('a failure of the forge is answered with 502 and without its message', async () => {
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

test('a token request by GET, as JSON or with a repeated parameter is refused', async () => {
  assert.equal((await fetch(`${issuer}/token?code=x`)).status, 405);
  const asJson = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  await assertRefused(await fetch(`${issuer}/token`, asJson), 400, 'invalid_request');
  const twice = new URLSearchParams([
    ['client_id', forge.clientId],
    ['client_id', forge.clientId],
  ]);
  await assertRefused(
    await fetch(`${issuer}/token`, { method: 'POST', body: twice }),
    400,
    'invalid_request',
  );
});

test('the log contains no code, token or secret', () => {
  for (const secret of [...forge.secrets, forge.clientSecret])
    assert.equal(product.logged().includes(secret), false);
});
