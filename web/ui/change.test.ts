import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf } from './change.ts';

test('amounts change in percent, rates in points, and the better direction sets the tone', () => {
  assert.deepEqual(changeOf({ value: 120, previous: 100 }, 'amount', 'less'), {
    text: '+20 %',
    tone: 'worse',
  });
  assert.deepEqual(changeOf({ value: 80, previous: 100 }, 'amount', 'less'), {
    text: '−20 %',
    tone: 'better',
  });
  assert.deepEqual(changeOf({ value: 0.95, previous: 0.9 }, 'rate', 'more'), {
    text: '+5 points',
    tone: 'better',
  });
  assert.deepEqual(changeOf({ value: 0.89, previous: 0.9 }, 'rate', 'more'), {
    text: '−1 point',
    tone: 'worse',
  });
  assert.deepEqual(changeOf({ value: 7, previous: 5 }, 'amount', 'neither'), { text: '+40 %', tone: 'same' });
  assert.deepEqual(changeOf({ value: 1001, previous: 1000 }, 'amount', 'less'), {
    text: '±0 %',
    tone: 'same',
  });
  assert.deepEqual(changeOf({ value: 651, previous: 1 }, 'amount', 'neither'), {
    text: '×651',
    tone: 'same',
  });
  assert.deepEqual(changeOf({ value: 20, previous: 2 }, 'amount', 'less'), { text: '×10', tone: 'worse' });
});

test('no change is shown without a previous value', () => {
  assert.equal(changeOf({ value: null, previous: 3 }, 'amount', 'less'), undefined);
  assert.equal(changeOf({ value: 3, previous: null }, 'amount', 'less'), undefined);
  assert.equal(changeOf({ value: 3, previous: 0 }, 'amount', 'less'), undefined);
  assert.deepEqual(changeOf({ value: 0.5, previous: 0 }, 'rate', 'more'), {
    text: '+50 points',
    tone: 'better',
  });
});
