import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInAsDemo } from '#test/support/demo-sign-in.ts';
import { startTestProgram } from '#test/support/test-program.ts';

const product = await startTestProgram({}, ['api']);
const { publicUrl } = product;

test('one button signs the demo user in, and their session works like any other', async () => {
  const browser = await signInAsDemo(publicUrl);
  const user = (await (await browser.fetch(`${publicUrl}/api/user`)).json()) as { name: string };
  assert.equal(user.name, 'Demo user');
  const refreshed = await browser.fetch(`${publicUrl}/api/auth/refresh`, { method: 'POST' });
  assert.equal(refreshed.status, 200);
  assert.equal((await browser.fetch(`${publicUrl}/api/user`)).status, 200);
});
