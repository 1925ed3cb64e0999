import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerText, countText, stateOf, typeText } from './webhook-texts.ts';

const at = '2026-01-01T00:00:00.000Z';
const working = { enabled: true, disabledReason: null, failingSince: null, lastSuccessAt: at };

test('the state of a subscription tells who disabled it and whether its last attempt failed', () => {
  assert.equal(stateOf(working), 'working');
  assert.equal(stateOf({ ...working, lastSuccessAt: null }), 'unused');
  assert.equal(stateOf({ ...working, failingSince: at }), 'failing');
  assert.equal(stateOf({ ...working, failingSince: at, enabled: false }), 'disabled');
  assert.equal(stateOf({ ...working, enabled: false, disabledReason: 'gone' }), 'stopped');
});

test('a type without words is shown as it is', () => {
  assert.equal(typeText('run.completed'), 'Run completed');
  assert.equal(typeText('incident.closed'), 'Incident closed');
  assert.equal(typeText('constructor'), 'constructor');
});

test('counts and answers are words', () => {
  assert.equal(countText(0, 'failed', 10), undefined);
  assert.equal(countText(9, 'failed', 10), '9 failed');
  assert.equal(countText(10, 'failed', 10), '10 or more failed');
  assert.equal(answerText({ attempts: 0, statusCode: null }), '–');
  assert.equal(answerText({ attempts: 1, statusCode: null }), 'No answer');
  assert.equal(answerText({ attempts: 1, statusCode: 503 }), '503');
});
