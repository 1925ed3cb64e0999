import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  completionsToEvaluate,
  nameCompletion,
  type CompletionFacts,
  type JobFacts,
  type RunFacts,
} from './name-completion.ts';

const run: RunFacts = {
  repository: 'acme/site',
  workflow: 'CI',
  file: '.github/workflows/ci.yml',
  branch: 'main',
  headRepository: 'acme/site',
  actor: 'ann',
  title: 'Fix the build',
  url: 'https://forge.example.com/run/1',
  hasJobs: true,
  provenWorkflow: null,
};
const job: JobFacts = {
  jobId: 7,
  repository: 'acme/site',
  workflow: 'CI',
  branch: 'main',
  name: 'test',
  url: 'https://forge.example.com/job/7',
};
const factsOf = (changes: Partial<CompletionFacts>): CompletionFacts => ({
  runId: 1,
  attempt: 1,
  at: 0,
  conclusion: 'failure',
  job: null,
  run,
  ...changes,
});
const nothingOpen = { underFile: false, underOwnNames: false };
const namesOf = (facts: CompletionFacts, open = nothingOpen) =>
  completionsToEvaluate(facts, open).map(({ workflow, branch }) => `${workflow} on ${branch}`);

test('a run has its own names and title', () => {
  const named = nameCompletion(factsOf({}));
  assert.equal(named?.event, 'run');
  assert.equal(named?.name, 'Fix the build');
  assert.equal(named?.url, run.url);
});

test('a job has the workflow of its run, and its own branch, name and address', () => {
  const named = nameCompletion(factsOf({ job: { ...job, workflow: 'ci.yml', branch: 'topic' } }));
  assert.deepEqual(
    [named?.event, named?.jobId, named?.workflow, named?.branch, named?.name, named?.url, named?.actor],
    ['job', 7, 'CI', 'topic', 'test', job.url, 'ann'],
  );
});

test('a job and a run supply what the other lacks', () => {
  const lacking = { ...job, workflow: null, branch: null, url: null };
  assert.deepEqual(namesOf(factsOf({ job: lacking })), ['CI on main']);
  assert.equal(nameCompletion(factsOf({ job: lacking }))?.url, run.url);
  assert.deepEqual(namesOf(factsOf({ job, run: { ...run, workflow: null } })), ['CI on main']);
  assert.deepEqual(namesOf(factsOf({ job: lacking, run: null })), ['null on null']);
});

test('a branch of a fork has the name of its owner', () => {
  assert.deepEqual(namesOf(factsOf({ run: { ...run, headRepository: 'eve/site' } })), ['CI on eve:main']);
});

test('a run that could not start has the name of a successful run of its file', () => {
  const unstarted = { ...run, workflow: run.file, hasJobs: false, provenWorkflow: 'CI' };
  assert.deepEqual(namesOf(factsOf({ run: unstarted })), ['CI on main']);
  const file = `${run.file} on main`;
  assert.deepEqual(namesOf(factsOf({ run: { ...unstarted, provenWorkflow: null } })), [file]);
  assert.deepEqual(namesOf(factsOf({ run: { ...unstarted, hasJobs: true } })), [file]);
  assert.deepEqual(namesOf(factsOf({ run: unstarted, conclusion: 'success' })), [file]);
  assert.deepEqual(namesOf(factsOf({ run: { ...unstarted, workflow: null, file: null } })), ['null on main']);
});

test('a success also closes an incident under the file of its workflow', () => {
  const open = { ...nothingOpen, underFile: true };
  const success = factsOf({ conclusion: 'success' });
  assert.deepEqual(namesOf(success, open), ['CI on main', `${run.file} on main`]);
  assert.deepEqual(namesOf(success), ['CI on main']);
  assert.deepEqual(namesOf(factsOf({}), open), ['CI on main']);
  assert.equal(
    namesOf(factsOf({ conclusion: 'success', run: { ...run, workflow: run.file } }), open).length,
    1,
  );
});

test('a successful job counts only without its run, or to close an incident under its own incomplete names', () => {
  const open = { ...nothingOpen, underOwnNames: true };
  const lacking = { ...job, branch: null };
  const success = (changes: Partial<CompletionFacts>) => factsOf({ conclusion: 'success', job, ...changes });
  assert.deepEqual(namesOf(success({ run: null })), ['CI on main']);
  assert.deepEqual(namesOf(success({})), []);
  assert.deepEqual(namesOf(success({}), open), []);
  assert.deepEqual(namesOf(success({ job: lacking })), []);
  assert.deepEqual(namesOf(success({ job: lacking }), open), ['CI on null']);
  assert.deepEqual(namesOf(success({ job: lacking, run: { ...run, branch: null } }), open), []);
});

test('a completion that was deleted or has no conclusion is not evaluated', () => {
  assert.deepEqual(completionsToEvaluate(factsOf({ run: null }), nothingOpen), []);
  assert.deepEqual(completionsToEvaluate(factsOf({ conclusion: null }), nothingOpen), []);
});
