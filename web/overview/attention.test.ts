import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention, Overview } from '#contract/metrics/overview.ts';
import { isEmpty, withoutIncident } from './attention.ts';

const failing = (repository: string, workflow: string, branch = 'main'): Attention =>
  ({ repository, workflow, branch }) as Attention;
const incident = (repository: string, workflow: string | null, branch: string | null): Incident =>
  ({ kind: 'failure', repository, workflow, branch }) as Incident;

test('a failing workflow with an incident is not listed twice', () => {
  const rows = [failing('acme/site', 'CI'), failing('acme/site', 'Deploy'), failing('acme/docs', 'CI')];
  assert.deepEqual(withoutIncident(rows, [incident('acme/site', 'CI', 'main')]), rows.slice(1));
  assert.deepEqual(withoutIncident(rows, []), rows);
  const unnamed = [failing('acme/site', '')];
  assert.deepEqual(withoutIncident(unnamed, [incident('acme/site', null, 'main')]), []);
});

test('an incident of another kind, branch, workflow or repository hides nothing', () => {
  const rows = [failing('acme/site', 'CI')];
  for (const other of [
    { ...incident('acme/site', 'CI', 'main'), kind: 'got_slower' } as const,
    incident('acme/site', 'CI', 'dev'),
    incident('acme/site', 'CI', null),
    incident('acme/site', null, 'main'),
    incident('acme/docs', 'CI', 'main'),
  ])
    assert.deepEqual(withoutIncident(rows, [other]), rows);
});

const nothing = {
  runs: { value: 0, previous: 0 },
  runningNow: { running: 0, waiting: 0 },
  workflows: [],
  needsAttention: [],
} as unknown as Overview;

test('a period is empty only when nothing ran, runs, waits or fails', () => {
  assert.equal(isEmpty(nothing), true);
  assert.equal(isEmpty({ ...nothing, runs: { value: null, comparable: null, previous: null } }), true);
  for (const facts of [
    { runs: { value: 1, previous: 0 } },
    { runs: { value: 0, previous: 1 } },
    { runs: { value: null, previous: 3 } },
    { runningNow: { running: 1, waiting: 0 } },
    { runningNow: { running: 0, waiting: 1 } },
    { workflows: [{}] },
    { needsAttention: [{}] },
  ])
    assert.equal(isEmpty({ ...nothing, ...facts } as Overview), false, JSON.stringify(facts));
});
