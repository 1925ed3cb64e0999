import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { makeCookieClient, signIn } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';

const product = await startSignInProduct();
const { publicUrl, provider } = product;
afterEach(() => {
  provider.takesBasicLiterally = false;
  provider.answer = undefined;
});

const failure = async (): Promise<string> => {
  const answer = await signIn(makeCookieClient(), publicUrl, 'ann');
  return `${answer.status} ${((await answer.json()) as { code: string }).code}`;
};

test('a failed code exchange is logged with what the provider said, and without the code', async () => {
  const code = 'a-code-of-this-test';
  const state = Buffer.from(JSON.stringify({ redirect_url: '/' })).toString('base64');
  const description = `Code ${code} for ${'x'.repeat(30)}\r\n\u202e is not valid${'!'.repeat(1000)}`;
  for (const [status, headers] of [
    [400, {}],
    [401, { 'www-authenticate': 'Basic realm="test"' }],
  ] as const) {
    const body = { error: `of_status_${status}`, error_description: description };
    provider.answer = { status, headers, body: JSON.stringify(body) };
    const url = `${publicUrl}/api/auth/callback?code=${code}&state=${state}&iss=${provider.issuer}`;
    assert.equal((await fetch(url)).status, 502);
    const line =
      product
        .logged()
        .split('\n')
        .find((each) => each.includes(`of_status_${status}`)) ?? '';
    const { err } = JSON.parse(line) as { err: { message: string } };
    const expected = `identity provider answered ${status} of_status_${status}: Code [secret] for [long value] `;
    assert.equal(err.message.slice(0, expected.length), expected);
    assert.match(err.message, /is not valid!+(: |$)/);
    assert.ok(err.message.length < 500);
    assert.doesNotMatch(err.message, /\p{C}/u);
  }
  assert.ok(!product.logged().includes(code));
});

test('a provider that refuses both ways to send the secret is asked twice for each sign-in', async () => {
  const refusal = { error: 'invalid_client', error_description: 'no such client' };
  provider.answer = { status: 400, body: JSON.stringify(refusal) };
  for (let round = 0; round < 2; round++) {
    const before = provider.tokenCalls.length;
    assert.equal(await failure(), '502 identity_provider_failed');
    assert.equal(provider.tokenCalls.length - before, 2);
  }
});

test('a provider that reads credentials literally gets them in the body, also in later requests', async () => {
  provider.takesBasicLiterally = true;
  const before = provider.tokenCalls.length;
  const browser = await product.newSession('ann');
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
  assert.equal((await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' })).status, 200);
  assert.deepEqual(provider.tokenCalls.slice(before), [
    'authorization_code',
    'authorization_code',
    'refresh_token',
  ]);
});
