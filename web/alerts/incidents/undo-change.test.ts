import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Incident } from '#contract/alerts/incidents.ts';
import { doneText, undoOf, type Change } from './undo-change.ts';

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

const open = incident({ status: 'open' });

/** What the server makes of a change, as far as an undo can notice. */
function changed(before: Incident, { acknowledged, assigneeId, snoozedUntil, status }: Change): Incident {
  return {
    ...before,
    ...(acknowledged === undefined ? {} : { acknowledged: acknowledged ? { by: ann, at: '' } : null }),
    ...(assigneeId === undefined
      ? {}
      : { assignee: assigneeId === null ? null : { userId: assigneeId, name: null } }),
    ...(snoozedUntil === undefined ? {} : { snoozedUntil }),
    ...(status === undefined ? {} : { status }),
  };
}

const seen = ({ acknowledged, assignee, snoozedUntil, status }: Incident): unknown[] => [
  acknowledged !== null,
  assignee?.userId ?? null,
  snoozedUntil,
  status,
];

test('a change and its undo leave the incident as it was', () => {
  const later = ['2026-01-05T11:00:00Z', '2026-01-06T09:00:00Z', null];
  const anyIncident = fc.record({
    acknowledged: fc.constantFrom(null, { by: ann, at: '2026-01-05T08:00:00Z' }, { by: null, at: '' }),
    assignee: fc.constantFrom(null, ann, { userId: 'bob', name: null }),
    snoozedUntil: fc.constantFrom(...later),
    status: fc.constantFrom('open' as const, 'closed' as const),
  });
  const anyChange: fc.Arbitrary<Change> = fc.record(
    {
      acknowledged: fc.boolean(),
      assigneeId: fc.constantFrom(null, 'ann', 'bob'),
      snoozedUntil: fc.constantFrom(...later),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyIncident, anyChange, fc.boolean(), (fields, change, isStatus) => {
      const before = incident(fields);
      const turned = before.status === 'open' ? ('closed' as const) : ('open' as const);
      const whole = isStatus ? { ...change, status: turned } : change;
      const after = changed(before, whole);
      assert.deepEqual(seen(changed(after, undoOf(before, whole, now))), seen(before));
    }),
  );
});

test('an undo touches only what the change touched', () => {
  for (const change of [
    {},
    { acknowledged: true },
    { assigneeId: null },
    { snoozedUntil: null },
    { note: 'why' },
  ]) {
    const touched = Object.keys(change).filter((name) => name !== 'note');
    assert.deepEqual(Object.keys(undoOf(open, change, now)), touched);
  }
});

test('the message says what happened', () => {
  const changes: [Change, string][] = [
    [{ status: 'closed', note: 'Known' }, 'Incident closed'],
    [{ status: 'open' }, 'Incident reopened'],
    [{ acknowledged: true }, 'Incident acknowledged'],
    [{ acknowledged: false }, 'Acknowledgement removed'],
    [{ assigneeId: 'ann' }, 'Incident assigned'],
    [{ assigneeId: null }, 'Incident unassigned'],
    [{ snoozedUntil: '2026-01-06T09:00:00Z' }, 'Incident snoozed'],
    [{ snoozedUntil: null }, 'Snooze ended'],
  ];
  for (const [change, text] of changes) assert.equal(doneText(change), text);
});
