import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAction } from './close-action.ts';

test('a close that would repeat leads to no reconnect', () => {
  for (const code of [4001, 4401, 4403]) assert.deepEqual(closeAction(code), { kind: 'stop' });
});

test('a restart or an expired connection leads to a reconnect soon, at a random time', () => {
  for (const code of [1012, 4205]) assert.deepEqual(closeAction(code), { kind: 'return', withinMs: 5_000 });
  assert.deepEqual(closeAction(1001), { kind: 'return', withinMs: 1_000 });
});

test('a slow or too busy client reconnects later than after a lost connection', () => {
  for (const code of [4208, 4429]) assert.deepEqual(closeAction(code), { kind: 'back-off', failures: 4 });
  for (const code of [1000, 1006, 1011, 4999])
    assert.deepEqual(closeAction(code), { kind: 'back-off', failures: 0 });
});

test('a page without a socket place waits for one', () => {
  assert.deepEqual(closeAction(4430), { kind: 'wait' });
});
