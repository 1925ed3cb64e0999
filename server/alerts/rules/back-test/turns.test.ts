import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actAs, actingUser } from '#platform/database/acting-user.ts';
import type { AppError } from '#platform/runtime/app-error.ts';
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

test('more than a few calls of a person are refused, and work again when the others are done', async () => {
  const takeTurn = makeTurns();
  const gate = makeGate();
  gate.close();
  const refusal = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'taken',
      (error: AppError) => [error.code, error.retryAfterSeconds],
    );
  const waiting = Array.from({ length: 4 }, () => takeTurn('ann', () => gate.passed()));
  const fifth = refusal(takeTurn('ann', async () => {}));
  const others = Array.from({ length: 16 }, (_, index) => takeTurn(String(index), async () => index));
  const ofAnother = refusal(takeTurn('bob', async () => {}));
  const saved = takeTurn('ann', async () => 2, { mustRun: true });
  gate.open();
  assert.deepEqual(
    [await fifth, await ofAnother],
    [
      ['too_many_requests', 5],
      ['too_many_requests', 5],
    ],
  );
  await Promise.all([...waiting, ...others]);
  assert.equal(await saved, 2);
  assert.equal(await takeTurn('ann', async () => 1), 1);
});
