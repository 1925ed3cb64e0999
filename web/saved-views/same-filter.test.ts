import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { matchesFilter, type RunFilter } from '#contract/runs/run-filter.ts';
import { someRun } from '#test/support/data/some-run.ts';
import { parseSearch, stringifySearch } from '../app/search-text.ts';
import { readRunSearch } from '../runs/filter/run-search.ts';
import { isSameFilter } from './same-filter.ts';

test('filters are equal whatever the order of their properties and with undefined ones', () => {
  assert.ok(isSameFilter({ branch: 'main', q: 'x' }, { q: 'x', branch: 'main' }));
  assert.ok(isSameFilter({ branch: 'main', q: undefined } as never, { branch: 'main' }));
  assert.ok(isSameFilter({}, {}));
});

test('another value or another property makes filters different', () => {
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'next' }), false);
  assert.equal(isSameFilter({ branch: 'main' }, { branch: 'main', q: 'x' }), false);
  assert.equal(isSameFilter({ status: 'queued' }, { conclusion: 'queued' }), false);
});

test('values and times count, not how they are written', () => {
  const pairs: [RunFilter, RunFilter][] = [
    [{ branch: 'main,dev' }, { branch: 'dev,main' }],
    [{ branch: 'main,main' }, { branch: 'main' }],
    [{ from: '2026-11-20T12:00:00Z' }, { from: '2026-11-20T12:00:00.000Z' }],
    [{ from: '2026-11-20T13:00:00+01:00' }, { from: '2026-11-20T12:00:00.000Z' }],
    [{ q: 'Fix it' }, { q: 'fix  IT' }],
  ];
  for (const [one, other] of pairs) {
    assert.ok(isSameFilter(one, other), JSON.stringify([one, other]));
    assert.ok(isSameFilter(other, one));
  }
});

test('a value with a comma differs from two values', () => {
  assert.equal(isSameFilter({ workflow: String.raw`a\,b` }, { workflow: 'a,b' }), false);
});

test('a view that was saved is found again in the address', () => {
  const filter = fc.record(
    {
      branch: fc.string({ minLength: 1, maxLength: 20 }),
      conclusion: fc.constantFrom('failure', 'failure,timed_out', 'success'),
      q: fc.string({ minLength: 1, maxLength: 20 }),
      pullRequest: fc.integer({ min: 1, max: 1e6 }),
      from: fc
        .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().replace('.000Z', 'Z')),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filter, (saved) => {
      const opened = readRunSearch(parseSearch(stringifySearch(saved)));
      assert.ok(isSameFilter(saved, opened));
    }),
  );
});

test('filters that select different runs differ', () => {
  const run = (branch: string) => someRun({ runId: 1, headBranch: branch });
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.string({ minLength: 1 }),
      fc.string(),
      (one, other, branch) => {
        if (!isSameFilter({ branch: one }, { branch: other })) return;
        assert.equal(
          matchesFilter(run(branch), { branch: one }),
          matchesFilter(run(branch), { branch: other }),
        );
      },
    ),
  );
});
