import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompletionFacts } from './completion-facts.ts';
import { type OtherOpenNames, completionsToEvaluate, nameCompletion } from './name-completion.ts';

const file = '.github/workflows/ci.yml';
const run: CompletionFacts = {
  runId: 1,
  attempt: 1,
  jobId: null,
  conclusion: 'failure',
  at: new Date(0),
  knowsRun: true,
  runRepository: 'acme/site',
  runWorkflow: 'CI',
  runFile: file,
  runBranch: 'main',
  headRepository: 'acme/site',
  actor: 'ann',
  title: 'Fix the build',
  runUrl: 'https://forge.example.com/run/1',
  jobRepository: null,
  jobWorkflow: null,
  jobBranch: null,
  jobName: null,
  jobUrl: null,
  onDefaultBranch: false,
  hasJobs: true,
  provenWorkflow: null,
};
const job: CompletionFacts = {
  ...run,
  jobId: 7,
  jobRepository: 'acme/site',
  jobWorkflow: 'CI',
  jobBranch: 'main',
  jobName: 'test',
  jobUrl: 'https://forge.example.com/job/7',
};
const noRun = {
  knowsRun: false,
  runRepository: null,
  runWorkflow: null,
  runFile: null,
  runBranch: null,
  runUrl: null,
};
const nothingOpen: OtherOpenNames = { isFileOpen: false, ofJob: null };
const namesOf = (facts: CompletionFacts, open = nothingOpen) =>
  completionsToEvaluate(facts, open).map(({ workflow, branch }) => `${workflow} on ${branch}`);

test('a run has its own names and title', () => {
  const named = nameCompletion(run);
  assert.equal(named?.event, 'run');
  assert.equal(named?.name, 'Fix the build');
  assert.equal(named?.url, run.runUrl);
});

test('a job has the workflow of its run, and its own branch, name and address', () => {
  const named = nameCompletion({ ...job, jobWorkflow: 'ci.yml', jobBranch: 'topic' });
  assert.deepEqual(
    [named?.event, named?.jobId, named?.workflow, named?.branch, named?.name, named?.url, named?.actor],
    ['job', 7, 'CI', 'topic', 'test', job.jobUrl, 'ann'],
  );
});

test('a job and a run supply what the other lacks', () => {
  const lacking = { ...job, jobWorkflow: null, jobBranch: null, jobUrl: null };
  assert.deepEqual(namesOf(lacking), ['CI on main']);
  assert.equal(nameCompletion(lacking)?.url, run.runUrl);
  assert.deepEqual(namesOf({ ...job, runWorkflow: null }), ['CI on main']);
  assert.deepEqual(namesOf({ ...lacking, ...noRun }), ['null on null']);
});

test('a branch of a fork has the name of its owner', () => {
  assert.deepEqual(namesOf({ ...run, headRepository: 'eve/site' }), ['CI on eve:main']);
});

test('a run that could not start has the name of a successful run of its file', () => {
  const unstarted = { ...run, runWorkflow: file, hasJobs: false, provenWorkflow: 'CI' };
  assert.deepEqual(namesOf(unstarted), ['CI on main']);
  const underFile = `${file} on main`;
  assert.deepEqual(namesOf({ ...unstarted, provenWorkflow: null }), [underFile]);
  assert.deepEqual(namesOf({ ...unstarted, hasJobs: true }), [underFile]);
  assert.deepEqual(namesOf({ ...unstarted, conclusion: 'success' }), [underFile]);
  assert.deepEqual(namesOf({ ...unstarted, runWorkflow: null, runFile: null }), ['null on main']);
});

test('a success also closes an incident under the file of its workflow', () => {
  const open = { ...nothingOpen, isFileOpen: true };
  const success = { ...run, conclusion: 'success' };
  assert.deepEqual(namesOf(success, open), ['CI on main', `${file} on main`]);
  assert.deepEqual(namesOf(success), ['CI on main']);
  assert.deepEqual(namesOf(run, open), ['CI on main']);
  assert.equal(namesOf({ ...success, runWorkflow: file }, open).length, 1);
});

test('a successful job counts only without its run, or to close an incident under its own incomplete names', () => {
  const under = (workflow: string | null, branch: string | null) => ({
    ...nothingOpen,
    ofJob: { workflow, branch },
  });
  const success = { ...job, conclusion: 'success' };
  assert.deepEqual(namesOf({ ...success, ...noRun }), ['CI on main']);
  assert.deepEqual(namesOf(success), []);
  assert.deepEqual(namesOf({ ...success, jobBranch: null }, under('CI', null)), ['CI on null']);
  assert.deepEqual(namesOf(success, under(null, 'main')), ['null on main']);
  assert.deepEqual(namesOf({ ...success, jobBranch: null, runBranch: null }, under('CI', null)), []);
});

test('a completion that was deleted or has no conclusion is not evaluated', () => {
  assert.deepEqual(completionsToEvaluate({ ...run, ...noRun }, nothingOpen), []);
  assert.deepEqual(completionsToEvaluate({ ...run, conclusion: null }, nothingOpen), []);
});
