import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actAs, actingUser } from '#platform/database/acting-user.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeTurns } from './turns.ts';

test('a person with many calls has one turn at a time, and another person need not wait for them', async () => {
  const takeTurn = makeTurns();
  const gate = makeGate();
  gate.close();
  const began: string[] = [];
  const call = (userId: string) =>
    actAs({ userId }, () =>
      takeTurn(userId, async () => {
        began.push(String(actingUser()?.userId));
        await gate.passed();
        return userId;
      }),
    );
  const all = ['ann', 'ann', 'ann', 'bob'].map(call);
  await waitUntil('two turns', () => began.length === 2);
  assert.deepEqual(began, ['ann', 'bob']);
  gate.open();
  assert.deepEqual(await Promise.all(all), ['ann', 'ann', 'ann', 'bob']);
  assert.deepEqual(began, ['ann', 'bob', 'ann', 'ann']);
});

test('a turn that fails fails its caller, and the next one begins', async () => {
  const takeTurn = makeTurns();
  const failed = takeTurn('ann', () => Promise.reject(new Error('broken')));
  const next = takeTurn('ann', async () => 1);
  await assert.rejects(failed, /broken/);
  assert.equal(await next, 1);
});
