import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import { redRows } from './red-rows.ts';

const place = { repository: 'acme/site', workflow: 'CI', branch: 'main' };
const firstBad = { runId: 2, sha: 'b'.repeat(40), title: 'Break it', actor: 'ann' };
const lastGreen = { runId: 1, sha: 'a'.repeat(40), at: '2026-11-20T08:00:00.000Z' };
const failing = { job: 'test', step: 'Run tests', errorLine: 'it broke', jobs: 1, assessment: null };
const failure = { runId: 3, name: 'Break it', conclusion: 'timed_out', actor: 'bob' };
const incident = {
  ...place,
  incidentId: 'i1',
  kind: 'failure',
  subject: null,
  failedRuns: 2,
  failedJobs: 1,
  firstFailure: failure,
  lastFailure: failure,
  openedAt: '2026-11-20T09:00:00.000Z',
  failing,
  firstBad,
  candidates: [firstBad],
  repositoryUrl: null,
  noBlame: null,
  lastGreen,
} as unknown as Incident;
const attention: Attention = {
  ...place,
  workflow: 'Deploy',
  since: '2026-11-20T10:00:00.000Z',
  sinceIsKnown: true,
  failures: 1,
  lastRunId: 7,
  conclusion: 'startup_failure',
  failing: null,
  firstBad,
  candidates: [firstBad],
  repositoryUrl: null,
  noBlame: null,
  lastGreen,
};

test('an incident and a workflow without one give rows with the same facts', () => {
  const [first, second] = redRows([incident], [attention, { ...attention, workflow: 'CI' }]);
  assert.deepEqual(
    [first?.key, first?.name, first?.runId, first?.count],
    ['i1', 'CI on main', 3, '2 runs, 1 job'],
  );
  assert.deepEqual(first?.commits, {
    firstBad,
    candidates: [firstBad],
    noBlame: null,
    lastGreen,
    repositoryUrl: null,
  });
  assert.deepEqual(
    [second?.key, second?.name, second?.runId, second?.count],
    ['run-7', 'Deploy on main', 7, '1 run'],
  );
  assert.equal(second?.problem, 'Startup failure');
  assert.equal(redRows([incident], [{ ...attention, workflow: 'CI' }]).length, 1, 'listed once');
});

test('nobody is named when no commit is to blame', () => {
  const [row] = redRows([{ ...incident, firstBad: null, candidates: [], noBlame: 'flaky' }], []);
  assert.equal(JSON.stringify(row?.commits).includes('bob'), false);
});

test('a workflow that did not run has no commits, and shows its sentence', () => {
  const queued = {
    ...incident,
    kind: 'queued_too_long',
    subject: 'linux',
    lastFailure: { ...failure, name: 'waited' },
  };
  const [row] = redRows([queued as Incident], []);
  assert.deepEqual(
    [row?.title, row?.problem, row?.failing, row?.commits],
    ['Queue of linux', 'waited', null, undefined],
  );
});

test('a workflow whose first red run is not known counts at least its last runs', () => {
  const [row] = redRows([], [{ ...attention, failures: 200, sinceIsKnown: false, firstBad: null }]);
  assert.deepEqual([row?.count, row?.isSinceKnown, row?.commits?.firstBad], ['200+ runs', false, null]);
});
