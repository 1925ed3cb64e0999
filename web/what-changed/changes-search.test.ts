import assert from 'node:assert/strict';
import { test } from 'node:test';

// Must run before the formatters are created.
process.env['TZ'] = 'Pacific/Auckland';
const { changesQuery, readChangesSearch } = await import('./changes-search.ts');
const timeZone = 'Pacific/Auckland';

const now = Date.parse('2026-11-20T12:30:00Z');

test('the address of the page is read, and what the server refuses is dropped', () => {
  assert.deepEqual(readChangesSearch({ days: 30, branch: 'default', workflow: 'CI', other: 1 }), {
    days: 30,
    branch: 'default',
    workflow: 'CI',
  });
  assert.deepEqual(readChangesSearch({ days: 365, branch: 'main', repository: '' }), {});
  const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-04T00:00:00.000Z' };
  assert.deepEqual(readChangesSearch(range), range);
  assert.deepEqual(readChangesSearch({ from: range.to, to: range.from }), {});
  assert.deepEqual(readChangesSearch({ ...range, from: '2026-01-01' }), {});
});

test('the period contains the hour or day in progress as one of its own', () => {
  assert.deepEqual(changesQuery({}, now), { from: '2026-11-14T11:00:00.000Z', timeZone });
  assert.deepEqual(changesQuery({ days: 1, workflow: 'CI' }, now), {
    workflow: 'CI',
    from: '2026-11-19T13:30:00.000Z',
    timeZone,
  });
  const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-04T00:00:00.000Z' };
  assert.equal(changesQuery(range, now)['to'], '2026-11-03T23:59:59.999Z');
});
