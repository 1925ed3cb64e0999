import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { keepRenewed } from './keep-renewed.ts';

test('a lease is renewed again and again, also after a renewal that failed', async () => {
  let renewals = 0;
  const end = keepRenewed(1, async () => {
    renewals += 1;
    if (renewals === 2) throw new Error('no database');
  });
  await waitUntil('some renewals', () => renewals >= 4);
  await end();
  const ended = renewals;
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(renewals, ended);
});

test('the end waits for a renewal that is in progress', async () => {
  const gate = makeGate();
  gate.close();
  let isOver = false;
  const end = keepRenewed(1, async () => {
    await gate.passed();
    isOver = true;
  });
  await waitUntil('a renewal', () => gate.waiting() > 0);
  const ended = end();
  gate.open();
  await ended;
  assert.ok(isOver);
});
