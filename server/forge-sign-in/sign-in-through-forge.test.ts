import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCookieClient, newSignInUrl, type CookieClient } from '#test/support/cookie-client.ts';
import { startOAuthForge, type ForgePerson, type OAuthForge } from '#test/support/oauth-forge.ts';
import { startTestProgram, type TestProgram } from '#test/support/test-program.ts';

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

/** Goes wherever the redirects lead, until a page or the app answers. */
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
  test(`somebody signs in through ${kind}, and is who it says they are`, async () => {
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
    const [row] = await product.database.asOwner<{ forge_id: string; cognito_id: string }>(
      `select forge_id::text, cognito_id from users where forge_login = 'ann'`,
    );
    assert.deepEqual(row, { forge_id: '583231', cognito_id: `${new URL(forge.url).host}_583231` });
    // Who it is was asked once, for both the token and the claims.
    assert.deepEqual(forge.calls.toSorted(), [
      'GET /api/user',
      'GET /api/user/emails',
      'POST /login/oauth/access_token',
    ]);
    for (const secret of [...forge.secrets, forge.clientSecret])
      assert.equal(product.logged().includes(secret), false, 'a code, token or secret is in the log');
  });
}

test('who denies it at the forge is told so on the sign-in page, and can begin again', async () => {
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

test('a forge that fails ends in a page with words, and nobody is signed in', async () => {
  const forge = await startOAuthForge('github');
  const product = await startWith(forge);
  forge.person = ann;
  forge.failWith = 503;
  const browser = makeCookieClient();
  const { url } = await follow(browser, await newSignInUrl(browser, product.publicUrl));
  assert.equal(url.pathname, '/sign-in');
  assert.equal((await browser.fetch(`${product.publicUrl}/api/user`)).status, 401);
});

test('an answer of the forge is good in the browser that began alone', async () => {
  const forge = await startOAuthForge('github');
  const product = await startWith(forge);
  forge.person = ann;
  const [victim, attacker] = [makeCookieClient(), makeCookieClient()];
  let url = await newSignInUrl(attacker, product.publicUrl);
  while (url.pathname !== '/api/auth/cognito/callback') {
    const answer = await attacker.fetch(url);
    url = new URL(answer.headers.get('location') ?? '', url);
  }
  const { url: end } = await follow(victim, url);
  assert.equal(end.pathname, '/sign-in');
  assert.equal((await victim.fetch(`${product.publicUrl}/api/user`)).status, 401);
  assert.deepEqual(forge.calls, []);
});

test('with a forge, the demo page is not there for anybody', async () => {
  const forge = await startOAuthForge('github');
  const product = await startWith(forge);
  const config = (await (await fetch(`${product.publicUrl}/config.json`)).json()) as { demo: boolean };
  assert.equal(config.demo, false);
});
