import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someRun } from '#test/support/data/some-run.ts';
import { shortRepository, titleOf, workflowOf } from './run-texts.ts';

test('a run without a title is named after its workflow, its file or its id', () => {
  const run = { runId: 7, title: '', workflowName: '', workflowPath: null };
  assert.equal(titleOf(someRun({ ...run, title: 'Fix it' })), 'Fix it');
  assert.equal(titleOf(someRun({ ...run, workflowName: 'CI' })), 'CI');
  assert.equal(titleOf(someRun({ ...run, workflowPath: 'ci.yml' })), 'ci.yml');
  assert.equal(titleOf(someRun(run)), 'Run 7');
  assert.equal(workflowOf(someRun(run)), '');
});

test('a repository is shown without its owner, and never as an empty text', () => {
  for (const [repository, text] of [
    ['acme/site', 'site'],
    ['site', 'site'],
    ['acme/group/site', 'site'],
    ['acme/', 'acme/'],
  ] as const)
    assert.equal(shortRepository(someRun({ runId: 1, repository })), text);
});

test('a text of a megabyte does not fill the table', () => {
  const long = 'x'.repeat(1e6);
  assert.ok(titleOf(someRun({ runId: 1, title: long })).length < 400);
  assert.ok(shortRepository(someRun({ runId: 1, repository: `acme/${long}` })).length < 200);
});
