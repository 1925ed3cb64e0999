import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusChoices, statusOf } from './run-status.ts';

const word = (status: string, conclusion: string | null = null): string =>
  statusOf({ status, conclusion }).word;

test('a run shows its status until it is completed, then its conclusion', () => {
  assert.equal(word('queued'), 'Queued');
  assert.equal(word('in_progress'), 'Running');
  assert.equal(word('in_progress', 'failure'), 'Running');
  assert.equal(word('completed', 'success'), 'Passed');
  assert.equal(word('completed', 'timed_out'), 'Timed out');
  assert.equal(word('completed'), 'Completed');
});

test('unknown statuses are shown as they are, and never read from the prototype', () => {
  assert.equal(word('blocked_by_quota'), 'Blocked by quota');
  assert.equal(word('completed', 'constructor'), 'Constructor');
  assert.equal(statusOf({ status: 'toString', conclusion: null }).name, 'unknown');
});

test('every filter value has its own word', () => {
  const words = [
    ...statusChoices.status.map((status) => word(status)),
    ...statusChoices.conclusion.map((conclusion) => word('completed', conclusion)),
  ];
  assert.equal(new Set(words).size, words.length);
});
