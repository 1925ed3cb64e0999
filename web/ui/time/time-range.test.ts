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

test('a time range of another year names it', () => {
  const [from, to] = ['2025-12-20T12:00:00Z', '2026-01-02T12:00:00Z'];
  const now = Date.parse('2026-03-01T12:00:00Z');
  for (const range of [{ from }, { to: from }, { from, to: from }]) {
    assert.match(timeRangeText(range, now) ?? '', /2025/);
    assert.doesNotMatch(timeRangeText(range, Date.parse(from)) ?? '', /2025/);
  }
  assert.match(timeRangeText({ from, to }, now) ?? '', /2025.*2026/);
  assert.doesNotMatch(timeRangeText({ from: to }, now) ?? '', /2026/);
});
