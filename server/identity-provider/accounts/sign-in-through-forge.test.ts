import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCookieClient, newSignInUrl, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { startOAuthForge, type ForgePerson, type OAuthForge } from '#test/support/identity/oauth-forge.ts';
import { startTestProgram, type TestProgram } from '#test/support/product/test-program.ts';
import { deleteRows, countRows } from '#test/support/database/rows.ts';

const ann: ForgePerson = {
  id: 583231,
  login: 'ann',
  name: 'Ann “A” Ash',
  emails: [
    { email: 'typed@example.com', primary: true, verified: false },
    { email: 'ann@example.com', primary: false, verified: true },
  ],
};

async function startWith(forge: OAuthForge): Promise<TestProgram> {
  return startTestProgram(
    {
      FORGE_URL: forge.url,
      FORGE_API_URL: `${forge.url}/api`,
      FORGE_CLIENT_ID: forge.clientId,
      FORGE_CLIENT_SECRET: forge.clientSecret,
    },
    ['api'],
  );
}

/** Follows redirects until a page or the app answers. */
async function follow(browser: CookieClient, from: URL): Promise<{ url: URL; answer: Response }> {
  let url = from;
  for (let step = 0; step < 20; step++) {
    const answer = await browser.fetch(url, { headers: { accept: 'text/html' } });
    const location = answer.headers.get('location');
    if (location === null || url.pathname === '/sign-in') return { url, answer };
    url = new URL(location, url);
    if (url.pathname === '/' || url.pathname === '/sign-in') return { url, answer };
  }
  throw new Error('the redirects do not end');
}

for (const kind of ['github', 'gitea'] as const) {
  test(`sign-in through ${kind} stores the profile that the forge returns`, async () => {
    const forge = await startOAuthForge(kind);
    const product = await startWith(forge);
    forge.person = ann;
    const browser = makeCookieClient();
    const { url } = await follow(browser, await newSignInUrl(browser, product.publicUrl));
    assert.equal(url.href, `${product.publicUrl}/`);
    const answer = await browser.fetch(`${product.publicUrl}/api/user`);
    const user = (await answer.json()) as Record<string, unknown>;
    assert.equal(answer.status, 200);
    assert.deepEqual(
      [user['name'], user['forgeLogin'], user['email'], user['picture']],
      [ann.name, 'ann', 'ann@example.com', `${forge.url}/avatars/583231`],
    );
    const account = { forge_id: 583_231, cognito_id: `${new URL(forge.url).host}_583231` };
    assert.equal(await countRows(product.database, 'users', { forge_login: 'ann', ...account }), 1);
    // One exchange, and one read of the profile.
    assert.deepEqual(forge.calls.toSorted(), [
      'GET /api/user',
      'GET /api/user/emails',
      'POST /login/oauth/access_token',
    ]);
    for (const secret of [...forge.secrets, forge.clientSecret])
      assert.equal(product.logged().includes(secret), false, 'a code, token or secret is in the log');
  });
}

test('a person who denies access at the forge comes to the sign-in page and can start again', async () => {
  const forge = await startOAuthForge('github');
  const product = await startWith(forge);
  const browser = makeCookieClient();
  const { url } = await follow(browser, await newSignInUrl(browser, product.publicUrl));
  assert.equal(url.pathname, '/sign-in');
  assert.equal((await browser.fetch(`${product.publicUrl}/api/user`)).status, 401);
  forge.person = ann;
  const again = await follow(browser, await newSignInUrl(browser, product.publicUrl));
  assert.equal(again.url.href, `${product.publicUrl}/`);
});

test('a forge that fails leads to the sign-in page, and nobody is signed in', async () => {
  const forge = await startOAuthForge('github');
  const product = await startWith(forge);
  forge.person = ann;
  forge.failWith = 503;
  const browser = makeCookieClient();
  const { url } = await follow(browser, await newSignInUrl(browser, product.publicUrl));
  assert.equal(url.pathname, '/sign-in');
  assert.equal((await browser.fetch(`${product.publicUrl}/api/user`)).status, 401);
});

/** Starts a sign-in and follows it until the forge sends the browser to the callback, which is not called. */
async function atCallback(browser: CookieClient): Promise<URL> {
  let url = await newSignInUrl(browser, publicUrl);
  while (url.pathname !== '/api/auth/callback/forge') {
    const answer = await browser.fetch(url);
    url = new URL(answer.headers.get('location') ?? '', url);
  }
  return url;
}

async function isSignedIn(browser: CookieClient): Promise<boolean> {
  return (await browser.fetch(`${publicUrl}/api/user`)).status === 200;
}

/** The browser calls the forge's callback, which refuses it without asking the forge. */
async function assertRefused(browser: CookieClient, url: URL): Promise<void> {
  const before = forge.calls.length;
  const page = await browser.fetch(url, { headers: { accept: 'text/html' } });
  assert.equal(page.headers.get('location'), `${publicUrl}/sign-in?error=invalid_state`);
  const answer = await browser.fetch(url);
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [400, 'invalid_state']);
  assert.equal(forge.calls.length, before);
}

const forge = await startOAuthForge('github');
forge.person = ann;
const product = await startWith(forge);
const { publicUrl } = product;

test('the forge returns people to the callback that the documentation names', async () => {
  const url = await atCallback(makeCookieClient());
  assert.equal(url.href.split('?')[0], `${publicUrl}/api/auth/callback/forge`);
  assert.deepEqual([...url.searchParams.keys()].toSorted(), ['code', 'state']);
});

test("the forge's callback refuses a browser that did not start the sign-in", async () => {
  const [victim, attacker] = [makeCookieClient(), makeCookieClient()];
  const url = await atCallback(attacker);
  await assertRefused(victim, url);
  assert.equal(await isSignedIn(victim), false);
});

test('a refused callback does not sign the attacker in as the victim', async () => {
  const [victim, attacker] = [makeCookieClient(), makeCookieClient()];
  const url = await atCallback(attacker);
  await assertRefused(victim, url);
  const resumed = await attacker.fetch(`${publicUrl}/oidc/auth/${url.searchParams.get('state')}`);
  assert.doesNotMatch(resumed.headers.get('location') ?? '', /code=/);
  assert.equal(await isSignedIn(attacker), false);
});

for (const [title, change] of [
  ['without a state', (url) => url.searchParams.delete('state')],
  ['with an unknown state', (url) => url.searchParams.set('state', 'x'.repeat(21))],
  ['with a state that is not one of ours', (url) => url.searchParams.set('state', '"; Path=/')],
  ['with two states', (url) => url.searchParams.append('state', url.searchParams.get('state') ?? '')],
  ['with two codes', (url) => url.searchParams.append('code', 'another')],
] as [string, (url: URL) => void][]) {
  test(`the forge's callback refuses an answer ${title}`, async () => {
    const browser = makeCookieClient();
    const url = await atCallback(browser);
    change(url);
    await assertRefused(browser, url);
    assert.equal(await isSignedIn(browser), false);
  });
}

test("the forge's callback refuses the state of another sign-in of the same browser", async () => {
  const browser = makeCookieClient();
  const [first, second] = [await atCallback(browser), await atCallback(browser)];
  // The forge refuses the code, because its challenge belongs to the other sign-in.
  second.searchParams.set('code', first.searchParams.get('code') ?? '');
  const { url } = await follow(browser, second);
  assert.equal(url.pathname, '/sign-in');
  assert.equal(await isSignedIn(browser), false);
});

test("the forge's callback refuses a repeated answer", async () => {
  const browser = makeCookieClient();
  const url = await atCallback(browser);
  assert.equal((await follow(browser, url)).url.pathname, '/');
  assert.equal(await isSignedIn(browser), true);
  await assertRefused(browser, url);
});

test("the forge's callback refuses an answer whose sign-in has ended, even with its cookie", async () => {
  const browser = makeCookieClient();
  const url = await atCallback(browser);
  await deleteRows(product.database, 'provider_state', { model: 'Interaction' });
  const answer = await browser.fetch(url, { headers: { accept: 'text/html' } });
  assert.equal(answer.headers.get('location'), `${publicUrl}/sign-in?error=invalid_state`);
  assert.equal(await isSignedIn(browser), false);
});

test('two tabs of one browser can sign in at the same time', async () => {
  const browser = makeCookieClient();
  const [first, second] = [await atCallback(browser), await atCallback(browser)];
  for (const url of [first, second]) {
    const answer = await browser.fetch(url, { headers: { accept: 'text/html' } });
    assert.match(answer.headers.get('location') ?? '', /\/oidc\/auth\//);
  }
});

test('the Cognito endpoints are not available without COGNITO_REDIRECT_URL', async () => {
  for (const path of ['.well-known/openid-configuration', 'authorize', 'callback']) {
    const answer = await fetch(`${publicUrl}/api/auth/cognito/${path}`);
    assert.equal(((await answer.json()) as { code: string }).code, 'forge_sign_in_not_configured', path);
  }
});

test('the demo sign-in is not offered beside a forge', async () => {
  const config = (await (await fetch(`${publicUrl}/config.json`)).json()) as { demo: boolean };
  assert.equal(config.demo, false);
});

test('the sign-in page belongs to the sign-in of the browser, whatever the path names', async () => {
  const { publicUrl } = await startWith(await startOAuthForge('github'));
  const browser = makeCookieClient();
  const begun = await browser.fetch(await newSignInUrl(browser, publicUrl));
  const uid = new URL(begun.headers.get('location') ?? '', publicUrl).pathname.split('/').at(-1);
  const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split(' ')[1]}=${value}`).join('; ');
  const answer = await browser.fetch(`${publicUrl}/oidc/interaction/another;one`, { headers: { cookie } });
  assert.equal(answer.status, 303);
  assert.equal(new URL(answer.headers.get('location') ?? '').searchParams.get('state'), uid);
});
