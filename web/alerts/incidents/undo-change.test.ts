import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import { undoOf } from './undo-change.ts';

const now = Date.parse('2026-01-05T10:00:00Z');
const ann = { userId: 'ann', name: 'Ann' };

function incident(fields: Partial<Incident>): Incident {
  return { acknowledged: null, assignee: null, snoozedUntil: null, ...fields } as Incident;
}

test('an undo restores what the incident had before', () => {
  const before = incident({ assignee: ann, snoozedUntil: '2026-01-05T11:00:00Z' });
  assert.deepEqual(undoOf(before, { assigneeId: 'bob' }, now), { assigneeId: 'ann' });
  assert.deepEqual(undoOf(before, { acknowledged: true }, now), { acknowledged: false });
  assert.deepEqual(undoOf(before, { snoozedUntil: null }, now), { snoozedUntil: before.snoozedUntil });
  assert.deepEqual(undoOf(before, { status: 'closed', note: 'Known' }, now), { status: 'open' });
});

test('an undo does not restore a snooze that has ended', () => {
  const before = incident({ snoozedUntil: '2026-01-05T09:00:00Z' });
  assert.deepEqual(undoOf(before, { snoozedUntil: '2026-01-06T09:00:00Z' }, now), { snoozedUntil: null });
});
