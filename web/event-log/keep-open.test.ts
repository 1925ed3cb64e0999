import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { holdNewer, keepOpen } from './keep-open.ts';

const entry = (entryId: string, second: number): LogEntry => ({
  entryId,
  at: `2026-11-22T10:00:0${second}.000Z`,
  type: 'member.joined',
  severity: 'info',
  title: entryId,
  actor: null,
  details: {},
  read: false,
});
const ids = (entries: readonly LogEntry[]): string[] => entries.map(({ entryId }) => entryId);
const unread = [entry('d', 4), entry('b', 2), entry('a', 2)];

test('an open entry is listed once, at the position of its time and id', () => {
  assert.deepEqual(ids(keepOpen(unread, entry('c', 3))), ['d', 'c', 'b', 'a']);
  assert.deepEqual(ids(keepOpen(unread, entry('e', 5))), ['e', 'd', 'b', 'a']);
  assert.deepEqual(ids(keepOpen(unread, entry('ab', 2))), ['d', 'b', 'ab', 'a']);
  assert.deepEqual(ids(keepOpen(unread, entry('0', 1))), ['d', 'b', 'a', '0']);
  assert.equal(keepOpen(unread, entry('b', 2)), unread);
  assert.equal(keepOpen(unread, undefined), unread);
});

test('while a list is held newer entries wait, and the others follow their changes', () => {
  const shown = { rows: unread, waiting: 0 };
  const read = { ...entry('b', 2), read: true };
  const current = [entry('f', 6), entry('da', 4), entry('d', 4), read, entry('a', 2), entry('0', 1)];
  assert.deepEqual(holdNewer(shown, current), { rows: current.slice(2), waiting: 2 });
  assert.deepEqual(holdNewer({ rows: [], waiting: 0 }, current), { rows: current, waiting: 0 });
});
