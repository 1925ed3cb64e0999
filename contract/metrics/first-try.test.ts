import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstTryRate } from './first-try.ts';

test('a run that passed only on a re-run is no success at the first try', () => {
  assert.equal(firstTryRate({ succeeded: 9, recovered: 4, failed: 1 }), 0.5);
  assert.equal(firstTryRate({ succeeded: 4, recovered: 4, failed: 0 }), 0);
  assert.equal(firstTryRate({ succeeded: 3, recovered: 0, failed: 0 }), 1);
  assert.equal(firstTryRate({ succeeded: 0, recovered: 0, failed: 0 }), null);
});
