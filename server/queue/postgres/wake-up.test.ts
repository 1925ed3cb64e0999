import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWakeUp } from './wake-up.ts';

const never = new AbortController().signal;

test('one message wakes one receiver, the one that sleeps longest', async () => {
  const wakeUp = makeWakeUp();
  const woken: number[] = [];
  const sleepers = [1, 2, 3].map((id) => wakeUp.sleep(60_000, never).then(() => woken.push(id)));
  assert.equal(wakeUp.wakeOne(), true);
  await sleepers[0];
  assert.deepEqual(woken, [1]);
  wakeUp.wakeOne();
  wakeUp.wakeOne();
  await Promise.all(sleepers);
  assert.deepEqual(woken, [1, 2, 3]);
});

test('a wake-up without a sleeper is kept for the next one, once', async () => {
  const wakeUp = makeWakeUp();
  assert.equal(wakeUp.wakeOne(), false);
  assert.equal(wakeUp.wakeOne(), false);
  await wakeUp.sleep(60_000, never);
  const started = performance.now();
  await wakeUp.sleep(30, never);
  assert.ok(performance.now() - started >= 25);
});

test('an aborted sleeper takes no wake-up from the others', async () => {
  const wakeUp = makeWakeUp();
  const abort = new AbortController();
  const first = wakeUp.sleep(60_000, abort.signal);
  const second = wakeUp.sleep(60_000, never);
  abort.abort();
  await first;
  wakeUp.wakeOne();
  await second;
});
