import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSeenText, oddsText, placeText, stateText } from './test-texts.ts';

test('a test that fails on other branches only is not called healthy', () => {
  assert.equal(stateText({ state: 'healthy', otherBranches: 0 }), 'Healthy');
  assert.equal(stateText({ state: 'healthy', otherBranches: 1 }), 'Failed on 1 other branch');
  assert.equal(stateText({ state: 'new', otherBranches: 3 }), 'Failed on 3 other branches');
  for (const state of ['broken', 'flaky', 'vanished'] as const)
    assert.doesNotMatch(stateText({ state, otherBranches: 3 }), /branch/);
});

test('the odds of a test are words, and absent when nothing was tried again', () => {
  assert.equal(oddsText({ retried: 15, passedRetries: 12 }), 'passed on retry 12 of 15');
  assert.equal(oddsText({ retried: 1, passedRetries: 1 }), 'passed on retry 1 of 1');
  assert.equal(oddsText({ retried: 0, passedRetries: 0 }), undefined);
});

test('the place of a test says nothing twice', () => {
  const name = 'adds';
  assert.equal(
    placeText({ suite: 'unit', className: 'cart', name, file: 'cart.ts' }),
    'unit › cart › cart.ts',
  );
  assert.equal(placeText({ suite: '', className: 'cart.ts', name, file: 'cart.ts' }), 'cart.ts');
  assert.equal(placeText({ suite: '', className: name, name, file: null }), '');
});

test('the day on which a test was last seen is a day and not a time', () => {
  const now = Date.parse('2026-11-27T00:10:00Z');
  assert.equal(lastSeenText('2026-11-27T00:00:00Z', now), 'today');
  assert.equal(lastSeenText('2026-11-26T00:00:01Z', now), 'yesterday');
  assert.equal(lastSeenText('2026-11-20T23:59:59Z', now), '7d ago');
});
