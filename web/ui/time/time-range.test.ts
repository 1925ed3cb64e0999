import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localTime, timeRangeText, toLocalTime } from './time-range.ts';

test('a time keeps its minute in a local time field', () => {
  for (const time of ['2026-03-01T12:34:00.000Z', '2026-07-01T23:59:00.000Z'])
    assert.equal(localTime(toLocalTime(time)), time);
  assert.equal(toLocalTime(undefined), '');
  assert.equal(localTime(''), undefined);
});

test('a filter names its time range', () => {
  const [from, to] = ['2026-03-01T12:00:00Z', '2026-03-01T12:30:00Z'];
  assert.equal(timeRangeText({}), undefined);
  assert.match(timeRangeText({ from }) ?? '', /^from Mar 1/);
  assert.match(timeRangeText({ to }) ?? '', /^until Mar 1/);
  assert.match(timeRangeText({ from, to }) ?? '', /:00.*:30/);
  assert.doesNotMatch(timeRangeText({ from, to: '2026-03-09T12:00:00Z' }) ?? '', /:/);
});
