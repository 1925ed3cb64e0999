import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownWorkflow } from '#contract/alerts/known-workflows.ts';
import { branchText, matchSummary, waitingText } from './match-texts.ts';

const workflow = (...branches: (string | null)[]): KnownWorkflow => ({
  repository: 'acme/site',
  workflow: 'CI',
  branches,
  defaultBranches: ['main'],
});
const known = { items: [workflow('main'), workflow('dev')], counted: 1200 };

test('the summary says how many of the workflows match', () => {
  const all = 'of the 2 workflows in the newest 1,200 runs';
  assert.equal(matchSummary(known, []), `None ${all} matches.`);
  assert.equal(matchSummary(known, known.items.slice(1)), `1 ${all} matches.`);
  assert.equal(matchSummary(known, known.items), `2 ${all} match.`);
});

test('without any run there is nothing to match yet', () => {
  assert.match(matchSummary({ items: [], counted: 0 }, []), /^No workflow has run yet/);
});

test('the first three branches are named and the others counted', () => {
  assert.equal(branchText(workflow('main')), 'main');
  assert.equal(branchText(workflow('a', 'b', 'c')), 'a, b, c');
  assert.equal(branchText(workflow('a', 'b', 'c', 'd')), 'a, b, c and 1 more');
  assert.equal(branchText(workflow('a', 'b', 'c', 'd', 'e')), 'a, b, c and 2 more');
  assert.equal(branchText(workflow(null, 'main')), 'no branch, main');
});

test('a long branch name is clipped', () => {
  assert.equal(branchText(workflow('x'.repeat(300))), `${'x'.repeat(40)}…`);
});

test('an error of loading is shown with its reason', () => {
  assert.match(waitingText(null), /^Looking for/);
  assert.match(
    waitingText(new Error('The server does not answer.')),
    /could not be loaded.*does not answer\.$/,
  );
});
