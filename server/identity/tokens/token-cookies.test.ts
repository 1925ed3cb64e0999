import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginSignIn, makeCookieClient, signIn } from '#test/support/identity/cookie-client.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { makeTokenCookies } from './token-cookies.ts';

const plain = await startSignInProduct();
const hosted = await startSignInProduct({ COOKIE_PREFIX: '__Host-' });
const maxAge = 30 * 86_400;

/** Cookies as they are set, with the value of each left out. */
const shapes = (response: Response): string[] =>
  response.headers
    .getSetCookie()
    .filter((line) => /Token=/.test(line))
    .map((line) => line.replace(/=[^;]*;/, '=…;'))
    .toSorted();

async function callback({ publicUrl }: typeof plain): Promise<Response> {
  const browser = makeCookieClient();
  const { callbackUrl } = await beginSignIn(browser, publicUrl, 'ann');
  return browser.fetch(callbackUrl);
}

test('token cookies have exactly these attributes', async () => {
  assert.deepEqual(shapes(await callback(plain)), [
    `accessToken=…; Max-Age=${maxAge}; Path=/api; HttpOnly; Secure; SameSite=Lax`,
    `idToken=…; Max-Age=${maxAge}; Path=/api; HttpOnly; Secure; SameSite=Lax`,
    `refreshToken=…; Max-Age=${maxAge}; Path=/api/auth; HttpOnly; Secure; SameSite=Lax`,
  ]);
});

test('prefixed cookies belong to this host alone, and others are not read', async () => {
  const answer = await callback(hosted);
  assert.deepEqual(shapes(answer), [
    `__Host-accessToken=…; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    `__Host-idToken=…; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    `__Host-refreshToken=…; Max-Age=${maxAge}; Path=/; HttpOnly; Secure; SameSite=Lax`,
  ]);
  const cookies = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => pair.startsWith('__Host-'));
  const ask = (cookie: string) => fetch(`${hosted.publicUrl}/api/user`, { headers: { cookie } });
  assert.equal((await ask(cookies.join('; '))).status, 200);
  assert.equal((await ask(cookies.join('; ').replaceAll('__Host-', ''))).status, 401);
});

test('a refresh token of any printable characters comes back unchanged', async (t) => {
  const refreshToken = String.raw`1//0g+a=b%2F;c, "d" \e~`;
  plain.provider.tamper = async (body) => ({ ...body, refresh_token: refreshToken });
  t.after(() => (plain.provider.tamper = undefined));
  const browser = await plain.newSession('ida');
  await browser.fetch(`${plain.publicUrl}/api/auth/logout`, { method: 'POST' });
  assert.equal(plain.provider.revoked.at(-1), refreshToken);
});

test('a sign-out clears each cookie under its own path', async () => {
  for (const product of [plain, hosted]) {
    const browser = makeCookieClient();
    await signIn(browser, product.publicUrl, 'ann');
    const answer = await browser.fetch(`${product.publicUrl}/api/auth/logout`, { method: 'POST' });
    const prefix = product === hosted ? '__Host-' : '';
    const path = (own: string): string => (product === hosted ? '/' : own);
    const ended = (name: string, own: string): RegExp =>
      new RegExp(
        `^${prefix}${name}=…; (Max-Age=0; )?Path=${path(own)}; (Expires=Thu, 01 Jan 1970[^;]*; )?HttpOnly; Secure; SameSite=Lax$`,
      );
    const [access = '', id = '', refresh = ''] = shapes(answer);
    assert.match(access, ended('accessToken', '/api'));
    assert.match(id, ended('idToken', '/api'));
    assert.match(refresh, ended('refreshToken', '/api/auth'));
  }
});

test('a cookie may have 4,096 bytes of name and value and no more', () => {
  for (const prefix of [undefined, '__Host-'] as const) {
    const cookies = makeTokenCookies({ prefix, maxAgeSeconds: 1 });
    const room = 4096 - `${prefix ?? ''}refreshToken`.length;
    assert.equal(cookies.tooLarge({ refreshToken: 'x'.repeat(room) }), undefined);
    assert.equal(cookies.tooLarge({ refreshToken: 'x'.repeat(room + 1) }), 'refreshToken');
    assert.equal(cookies.tooLarge({ refreshToken: '/'.repeat(room) }), 'refreshToken', 'as it is sent');
  }
});
