import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTestProgram({}, ['api']);
const { publicUrl } = product;

test('one button signs in the demo user with an ordinary session', async () => {
  const browser = await signInAsDemo(publicUrl);
  const user = (await (await browser.fetch(`${publicUrl}/api/user`)).json()) as { name: string };
  assert.equal(user.name, 'Demo user');
  const refreshed = await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' });
  assert.equal(refreshed.status, 200);
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
});

test('the log contains the full path of requests to the provider, without the query', async () => {
  assert.equal((await fetch(`${publicUrl}/oidc/auth?client_id=nobody`)).status, 400);
  const asked = await waitUntil('the answer to be logged', () =>
    product
      .logged()
      .split('\n')
      .find((line) => line.includes('"status":400')),
  );
  assert.equal((JSON.parse(asked) as { path: string }).path, '/oidc/auth');
  assert.doesNotMatch(asked, /nobody/);
});
