import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesFilter, type RunFilter } from './run-filter.ts';
import { someRun } from '#test/support/data/some-run.ts';

const run = someRun({
  runId: 90,
  runNumber: 412,
  title: 'Retry the upload when the connection drops',
  status: 'completed',
  conclusion: 'failure',
  triggeringActor: 'tdvorak',
  pullRequests: [7],
});

const cases: [RunFilter, boolean | undefined][] = [
  [{}, true],
  [{ repository: 'fernhill/web-console' }, true],
  [{ repository: 'fernhill/search' }, false],
  [{ workflow: 'ci' }, true],
  [{ workflow: '.github/workflows/ci.yml' }, true],
  [{ workflow: 'deploy' }, false],
  [{ branch: 'main', status: 'completed', conclusion: 'failure', event: 'push' }, true],
  [{ branch: 'main', status: 'in_progress' }, false],
  [{ branch: 'next,main' }, true],
  [{ branch: 'next,other' }, false],
  [{ branch: String.raw`next\,main` }, false],
  [{ actor: 'mira-okafor' }, true],
  [{ actor: 'tdvorak' }, true],
  [{ actor: 'noor-hadad' }, false],
  [{ from: '2026-11-20T12:00:00.000Z' }, true],
  [{ from: '2026-11-20T13:00:00+01:00' }, true],
  [{ from: '2026-11-20T12:00:00.001Z' }, false],
  [{ to: '2026-11-20T12:00:00.000Z' }, false],
  [{ to: '2026-11-20T12:00:00.001Z' }, true],
  [{ completedFrom: '2026-11-20T11:00:00.000Z' }, false],
  [{ attempt: 'first' }, true],
  [{ attempt: 'later' }, false],
  [{ branchClass: 'default' }, undefined],
  [{ q: 'UPLOAD retry' }, true],
  [{ q: 'upload download' }, undefined],
  [{ q: '#412' }, true],
  [{ q: '412' }, true],
  [{ q: '41' }, false],
  [{ q: '90' }, true],
  [{ q: '#7' }, true],
  [{ status: 'failure,queued' }, true],
  [{ status: 'success,queued' }, false],
  [{ pullRequest: 7 }, true],
  [{ pullRequest: 8 }, false],
];

for (const [filter, expected] of cases) {
  test(`a run is ${expected === undefined ? 'left to the server' : expected ? 'kept' : 'left out'} by ${JSON.stringify(filter)}`, () => {
    assert.equal(matchesFilter(run, filter), expected);
  });
}

test('a run without a pull request may still belong to one, which only the server knows', () => {
  const fork = someRun({ runId: 91 });
  assert.equal(matchesFilter(fork, { pullRequest: 7 }), undefined);
  assert.equal(matchesFilter(fork, { pullRequest: 7, branch: 'other' }), false);
});
