import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCookieClient, newSignInUrl, type CookieClient } from '#test/support/identity/cookie-client.ts';
import { demoAddressOf, demoKeyOf } from '#test/support/identity/demo-keys.ts';
import { giveDemoKey, signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startPlainProxy } from '#test/support/network/plain-proxy.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';

const product = await startTestProgram({}, ['api']);
const { publicUrl, baseUrl } = product;
const key = demoKeyOf(publicUrl);
/** Another one: wrong keys are counted. */
const attacked = (await startTestProgram({}, ['api'])).publicUrl;

/** A browser on the page of the demo sign-in, and how it sends the forms of that page. */
async function openDemoPage(at = publicUrl, browser: CookieClient = makeCookieClient()) {
  const begun = await browser.fetch(await newSignInUrl(browser, at));
  const url = new URL(begun.headers.get('location') ?? '', at);
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    browser.fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  return { browser, url, post, look: () => browser.fetch(url) };
}

test('the demo page asks a browser without the key for it and does not sign it in', async () => {
  const { look, post } = await openDemoPage();
  const page = await (await look()).text();
  assert.match(page, /npm start<\/code> printed, or run <code>npx forgewatch doctor/);
  assert.doesNotMatch(page, /Continue as demo user/);
  for (const form of [{ demo: '1' }, { name: 'Ann' }, { demo: '1', key: '' }] as Record<string, string>[]) {
    const tried = await post(form);
    assert.deepEqual([tried.status, tried.headers.get('location')], [401, null], JSON.stringify(form));
  }
});

test('a request through a local proxy without headers is not signed in', async () => {
  const proxy = await startPlainProxy(baseUrl);
  const throughProxy = (url: URL): URL => new URL(url.pathname + url.search, proxy.url);
  // As with `proxy_pass` alone, and as with `Host: localhost`.
  for (const host of [new URL(baseUrl).host, new URL(publicUrl).host, 'localhost']) {
    const { browser, url } = await openDemoPage();
    const kept = [...browser.cookies].filter(([name]) => name.startsWith(new URL(publicUrl).host));
    const cookie = kept.map(([name, { value }]) => `${name.split(' ')[1]}=${value}`).join('; ');
    const page = await proxy.fetch(throughProxy(url), { headers: { cookie, host } });
    assert.equal(page.status, 200, host);
    assert.doesNotMatch(await page.text(), /Continue as demo user/, host);
    const body = new URLSearchParams({ demo: '1' });
    const tried = await proxy.fetch(throughProxy(url), { method: 'POST', headers: { cookie, host }, body });
    assert.deepEqual([tried.status, tried.headers.get('location')], [401, null], host);
  }
});

for (const [what, typed] of [
  ['the key', () => ` ${key} `],
  ['the whole address', () => demoAddressOf(publicUrl)],
] as const) {
  test(`pasting ${what} opens the page, for the next sign-ins of this browser too`, async () => {
    const { browser, post, look } = await openDemoPage();
    const answer = await post({ key: typed() });
    assert.equal(answer.status, 303);
    assert.match(await (await look()).text(), /Continue as demo user/);
    assert.match((await post({ demo: '1' })).headers.get('location') ?? '', /\/oidc\/auth\//);
    const next = await openDemoPage(publicUrl, browser.copy());
    assert.match(await (await next.look()).text(), /Continue as demo user/);
  });
}

test('one demo key signs in several browsers', async () => {
  for (const name of ['Ann', 'Ben']) await signInAsDemo(publicUrl, name);
});

test('a wrong demo key is refused in the form and in the cookie, with a reason', async () => {
  const right = demoKeyOf(attacked);
  for (const wrong of [key, right.slice(1), `${right}0`, `${right.slice(1)}g`, '']) {
    const { post } = await openDemoPage(attacked);
    const answer = await post({ key: wrong });
    assert.equal(answer.status, 401, wrong);
    assert.match(await answer.text(), /not the key of the running server/);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  }
  const { browser, look } = await openDemoPage(attacked);
  giveDemoKey(browser, attacked, key);
  const page = await look();
  assert.equal(page.status, 401);
  assert.doesNotMatch(await page.text(), /Continue as demo user/);
});

test('an address may try ten wrong demo keys a minute, and the right one always works', async () => {
  const { post } = await openDemoPage(attacked);
  const statuses = [];
  for (let count = 0; count < 12; count++) statuses.push((await post({ key: String(count) })).status);
  assert.equal(statuses.at(-1), 429);
  const person = await post({ key: 'wrong' }, { accept: 'text/html' });
  assert.equal(person.headers.get('location'), `${attacked}/sign-in?error=too_many_requests`);
  assert.equal((await post({ key: demoKeyOf(attacked) })).status, 303);
  await signInAsDemo(attacked, 'Cleo');
});

test('the log never holds the key', async () => {
  await fetch(demoAddressOf(publicUrl), { headers: { accept: 'text/html' } });
  const { post } = await openDemoPage();
  await post({ key });
  assert.ok(product.logged().includes('/oidc/'));
  assert.ok(!product.logged().includes(key));
});
