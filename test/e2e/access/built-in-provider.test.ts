import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  followToCallback,
  makeCookieClient,
  newSignInUrl,
  type CookieClient,
} from '#test/support/identity/cookie-client.ts';
import { demoKeyOf } from '#test/support/identity/demo-keys.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct, type ProductProcess } from '#test/support/product/product-process.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';

const port = await freePort();
const publicUrl = `http://localhost:${port}`;
const database = await createTestDatabase();
const dataDir = await makeTemporaryDirectory();
const started: ProductProcess[] = [];
after(() => Promise.all(started.map((each) => each.kill())));

async function start(env: NodeJS.ProcessEnv = {}): Promise<ProductProcess> {
  const product = await startProduct('api', {
    ...productEnv(database.url, dataDir),
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    ...env,
  });
  started.push(product);
  return product;
}

const statusOf = async (browser: CookieClient, route: string, method = 'GET'): Promise<number> =>
  (await browser.fetch(publicUrl + route, { method })).status;

test('a session of the built-in provider outlasts a killed server, and a second process knows it too', async () => {
  const first = await start();
  const browser = await signInAsDemo(publicUrl);
  assert.equal(await statusOf(browser, '/api/user'), 200);
  const second = await start({ PORT: '0' });
  const pairs = [...browser.cookies].filter(([name]) => name.startsWith(`localhost:${port} `));
  const cookie = pairs.map(([name, { value }]) => `${name.split(' ')[1]}=${value}`).join('; ');
  assert.equal((await fetch(`${second.ready}/api/user`, { headers: { cookie } })).status, 200);

  await first.kill();
  const again = await start();
  assert.equal(await statusOf(browser, '/api/user'), 200);
  assert.equal(await statusOf(browser, '/api/auth/refresh', 'POST'), 200);
  assert.equal(await statusOf(browser, '/api/user'), 200);
  assert.doesNotMatch(again.stderr(), /WARNING/);

  const old = browser.copy();
  assert.equal(await statusOf(browser, '/api/auth/logout', 'POST'), 204);
  assert.equal(await statusOf(old, '/api/auth/refresh', 'POST'), 401);
});

test('a service that other machines can reach has no sign-in without a proof of identity', async () => {
  const elsewhere = await freePort();
  await start({ HOST: '0.0.0.0', PORT: String(elsewhere), PUBLIC_URL: `http://localhost:${elsewhere}` });
  const { demo } = (await (await fetch(`http://localhost:${elsewhere}/config.json`)).json()) as {
    demo: boolean;
  };
  assert.equal(demo, false);
  const there = `http://localhost:${elsewhere}`;
  const browser = makeCookieClient();
  const form = { demo: '1', key: demoKeyOf(publicUrl) };
  await assert.rejects(followToCallback(browser, await newSignInUrl(browser, there), form), /403/);
});
