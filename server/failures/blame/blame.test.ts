import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Assessment } from '#contract/failures/failures.ts';
import { blame } from './blame.ts';

const kinds = [
  'infrastructure',
  'flaky',
  'default_branch',
  'branch',
  'other_branches',
  'new_on_branch',
] as const;
const nothing = {
  infrastructure: null,
  branch: null,
  since: null,
  runs: null,
  reruns: null,
  passedReruns: null,
  otherBranches: null,
  otherSince: null,
};
const failure = fc.option(
  fc
    .option(fc.constantFrom(...kinds))
    .map((kind) => ({ assessment: kind === null ? null : ({ kind, ...nothing } as Assessment) })),
);
const commit = fc.record({
  runId: fc.nat(),
  sha: fc.option(fc.string({ minLength: 40, maxLength: 40 })),
  title: fc.option(fc.string()),
  actor: fc.option(fc.string()),
});
const lastGreen = fc.option(fc.record({ runId: fc.nat(), sha: fc.option(fc.string()), at: fc.string() }));

test('a commit is named only after a success, alone, and for a failure that is neither flaky nor infrastructure', () => {
  const commits = fc.array(commit, { maxLength: 4 });
  fc.assert(
    fc.property(
      lastGreen,
      commits,
      fc.boolean(),
      fc.array(failure, { maxLength: 2 }),
      (green, list, isMergeGroup, failures) => {
        const found = blame({ lastGreen: green, commits: list, isMergeGroup }, failures);
        const excused = failures.some((one) =>
          ['flaky', 'infrastructure'].includes(one?.assessment?.kind ?? ''),
        );
        const mayName = green !== null && list.length === 1 && !isMergeGroup && !excused;
        assert.deepEqual(found.firstBad, mayName ? list[0] : null);
        assert.equal(found.noBlame === null, mayName);
        assert.deepEqual(found.candidates, green === null || excused ? [] : list);
        assert.equal(found.lastGreen, green);
      },
    ),
  );
});
