import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusChoices, statusOf, isOver, runningSince } from './run-status.ts';
import * as fc from 'fast-check';

const word = (status: string, conclusion: string | null = null): string =>
  statusOf({ status, conclusion }).word;

test('a run shows its status until it is completed, then its conclusion', () => {
  assert.equal(word('queued'), 'Queued');
  assert.equal(word('in_progress'), 'Running');
  assert.equal(word('in_progress', 'failure'), 'Running');
  assert.equal(word('completed', 'success'), 'Passed');
  assert.equal(word('completed', 'timed_out'), 'Timed out');
  assert.equal(word('completed'), 'Completed');
  assert.equal(
    statusOf({ status: 'completed', conclusion: 'cancelled', supersededBy: 7 }).word,
    'Superseded',
  );
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

const anyWord = fc.oneof(
  fc.constantFrom(
    'completed',
    'queued',
    'in_progress',
    'success',
    'failure',
    'constructor',
    '__proto__',
    'a_b_c',
  ),
  fc.string({ minLength: 1, maxLength: 60 }),
);

test('every status has a word of bounded length and a colour', () => {
  const tones = new Set(['idle', 'running', 'waiting', 'passed', 'failed']);
  fc.assert(
    fc.property(anyWord, fc.option(anyWord), (status, conclusion) => {
      const look = statusOf({ status, conclusion });
      assert.ok(look.word.length > 0 && look.word.length <= 41, look.word);
      assert.ok(tones.has(look.tone));
    }),
  );
});

test('an unknown word of a newer forge has no colour that could mislead', () => {
  for (const conclusion of ['succeeded', 'failed', 'passed_with_warnings', 'SUCCESS'])
    assert.equal(statusOf({ status: 'completed', conclusion }).tone, 'idle');
});

test('an unknown word is readable', () => {
  const words = (status: string): string => statusOf({ status, conclusion: null }).word;
  assert.equal(words('waiting_for_approval'), 'Waiting for approval');
  assert.equal(words('étape'), 'Étape');
  assert.equal(words('x'.repeat(100)), `X${'x'.repeat(39)}…`);
  assert.equal(words('😀'.repeat(30)), `${'😀'.repeat(20)}…`);
});

test('only a run in progress counts its time', () => {
  const startedAt = '2026-11-20T12:00:00.000Z';
  for (const status of ['queued', 'waiting', 'completed', 'pending', 'new_status'])
    assert.equal(runningSince({ status, startedAt }), null, status);
  assert.equal(runningSince({ status: 'in_progress', startedAt }), startedAt);
  assert.equal(runningSince({ status: 'in_progress', startedAt: null }), null);
});

test('each choice of the filter is a status or a conclusion, as its group says', () => {
  for (const status of statusChoices.status) assert.equal(isOver({ status }), false, status);
  for (const conclusion of statusChoices.conclusion) {
    const { name } = statusOf({ status: 'completed', conclusion });
    assert.equal(name, conclusion);
  }
});
