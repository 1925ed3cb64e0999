import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf } from './change.ts';

test('amounts change in percent, rates in points, and the better direction sets the tone', () => {
  assert.deepEqual(changeOf(120, 100, 'amount', 'less'), {
    text: '+20 %',
    tone: 'worse',
  });
  assert.deepEqual(changeOf(80, 100, 'amount', 'less'), {
    text: '−20 %',
    tone: 'better',
  });
  assert.deepEqual(changeOf(0.95, 0.9, 'rate', 'more'), {
    text: '+5 points',
    tone: 'better',
  });
  assert.deepEqual(changeOf(0.89, 0.9, 'rate', 'more'), {
    text: '−1 point',
    tone: 'worse',
  });
  assert.deepEqual(changeOf(7, 5, 'amount', 'neither'), { text: '+40 %', tone: 'same' });
  assert.deepEqual(changeOf(1001, 1000, 'amount', 'less'), {
    text: '±0 %',
    tone: 'same',
  });
  assert.deepEqual(changeOf(651, 1, 'amount', 'neither'), {
    text: '×651',
    tone: 'same',
  });
  assert.deepEqual(changeOf(20, 2, 'amount', 'less'), { text: '×10', tone: 'worse' });
});

test('no change is shown without a previous value', () => {
  assert.equal(changeOf(null, 3, 'amount', 'less'), undefined);
  assert.equal(changeOf(3, null, 'amount', 'less'), undefined);
  assert.equal(changeOf(3, 0, 'amount', 'less'), undefined);
  assert.deepEqual(changeOf(0.5, 0, 'rate', 'more'), {
    text: '+50 points',
    tone: 'better',
  });
});
