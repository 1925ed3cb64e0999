import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import { failureCounts, incidentName, incidentProblem, stateLines } from './incident-texts.ts';

const now = Date.parse('2026-11-20T12:00:00Z');
const ann = { userId: 'a', name: 'Ann' };
const gone = { userId: 'g', name: null };

const incident = (facts: Partial<Incident>): Incident =>
  ({
    kind: 'failure',
    subject: null,
    workflow: 'CI',
    branch: 'main',
    status: 'open',
    closeReason: null,
    closedBy: null,
    closeNote: null,
    acknowledged: null,
    assignee: null,
    snoozedUntil: null,
    owner: null,
    ...facts,
  }) as Incident;

test('an incident is named after its workflow and branch, or after its queue', () => {
  const cases: [Partial<Incident>, string][] = [
    [{}, 'CI on main'],
    [{ branch: null }, 'CI'],
    [{ workflow: null }, 'Unnamed workflow on main'],
    [{ workflow: null, branch: null }, 'Unnamed workflow'],
    [{ kind: 'queued_too_long', subject: 'gpu', workflow: null }, 'the queue of gpu'],
    [{ kind: 'got_slower', subject: 'test (ubuntu)' }, 'CI on main'],
    [{ kind: 'did_not_run', branch: null }, 'CI'],
  ];
  for (const [facts, name] of cases) assert.equal(incidentName(incident(facts)), name);
});

test('a problem is the conclusion of a failed run, or what the incident is about', () => {
  const lastFailure = { name: 'Change the price', conclusion: 'action_required' } as Incident['lastFailure'];
  assert.equal(incidentProblem(incident({ lastFailure })), 'Action required');
  assert.equal(incidentProblem(incident({ lastFailure, kind: 'got_slower' })), 'Change the price');
});

test('an open incident says who works on it, and until when it is snoozed', () => {
  assert.deepEqual(stateLines(incident({}), now), ['Unacknowledged']);
  const owned = { owner: { userId: null, name: null, email: 'team@example.com' } };
  assert.deepEqual(stateLines(incident(owned), now), ['Unacknowledged', 'Owned by team@example.com']);
  const lines = stateLines(
    incident({
      assignee: ann,
      acknowledged: { by: gone, at: '2026-11-20T11:00:00Z' },
      snoozedUntil: '2026-11-27T09:00:00Z',
    }),
    now,
  );
  assert.deepEqual(lines.slice(0, 2), ['Assigned to Ann', 'Acknowledged by somebody']);
  assert.match(lines[2] ?? '', /^Snoozed until .*27/);
});

test('an acknowledgement without a person is still shown', () => {
  const lines = stateLines(incident({ acknowledged: { by: null, at: '2026-11-20T11:00:00Z' } }), now);
  assert.deepEqual(lines, ['Acknowledged by somebody']);
});

test('a closed incident says who closed it and why, and nothing of the work on it', () => {
  const worked = { status: 'closed', assignee: ann, snoozedUntil: '2026-11-27T09:00:00Z' } as const;
  const cases: [Partial<Incident>, string[]][] = [
    [{ closeReason: 'recovered' }, []],
    [{ closeReason: 'pull_request_closed', closedBy: ann }, ['Closed with its pull request']],
    [{ closeReason: 'base_branch_changed' }, ['Closed when its pull request got another base branch']],
    [{ closeReason: 'closed', closedBy: ann }, ['Closed by Ann']],
    [{ closeReason: 'closed', closedBy: gone, closeNote: 'Known' }, ['Closed by somebody', 'Known']],
    [{ closeReason: 'closed', closedBy: null }, ['Closed by somebody']],
  ];
  for (const [facts, lines] of cases)
    assert.deepEqual(stateLines(incident({ ...worked, ...facts }), now), lines);
});

test('an incident whose test is in quarantine says until when', () => {
  const facts = {
    status: 'closed',
    closeReason: 'quarantined',
    quarantinedUntil: '2026-12-04T09:00:00Z',
  } as const;
  const [line, ...others] = stateLines(incident(facts), now);
  assert.match(line ?? '', /^Quarantined until .*4.*2026/);
  assert.deepEqual(others, []);
});

test('failures are counted as runs and jobs, in the singular and without zeros', () => {
  const cases: [number, number, string][] = [
    [0, 0, ''],
    [1, 0, '1 run'],
    [0, 1, '1 job'],
    [2, 1, '2 runs, 1 job'],
    [1, 12, '1 run, 12 jobs'],
  ];
  for (const [failedRuns, failedJobs, text] of cases)
    assert.equal(failureCounts({ failedRuns, failedJobs }), text);
});
