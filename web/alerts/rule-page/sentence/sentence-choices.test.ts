import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { looksAt } from '#contract/alerts/glob.ts';
import { patternsOf, patternText } from '../../pattern-text.ts';
import {
  branchChoices,
  branchText,
  chooseBranches,
  chooseRepositories,
  chosenBranches,
  chosenRepositories,
  isWhole,
  repositoryChoices,
  repositoryText,
} from './sentence-choices.ts';

const known = [
  { repository: 'acme/site', workflow: 'CI', branches: ['main', 'topic', null], defaultBranches: ['main'] },
  { repository: 'acme/docs', workflow: 'CI', branches: ['main'], defaultBranches: ['main'] },
];
const [defaultBranch = '', anyBranch = ''] = branchChoices(known, { branches: '', defaultBranchOnly: true })
  .slice(0, 2)
  .map(({ value }) => value);
const of = (branches: string, defaultBranchOnly = false) => ({ branches, defaultBranchOnly });

test('the sentence names the default branch, any branch, and patterns', () => {
  assert.equal(branchText(of('', true)), 'the default branch');
  assert.equal(branchText(of('')), 'any branch');
  assert.equal(branchText(of('main, release/*')), 'main or release/*');
  assert.equal(branchText(of('release/*, !release/old')), 'release/*, not release/old');
  assert.equal(branchText(of('main', true)), 'the default branch (main)');
  assert.equal(repositoryText({ repositories: '' }), 'any repository');
  assert.equal(repositoryText({ repositories: '!acme/docs' }), 'not acme/docs');
});

test('the known names are offered once, and chosen patterns first', () => {
  assert.deepEqual(
    branchChoices(known, of('release/*')).map(({ label }) => label),
    ['the default branch', 'any branch', 'release/*', 'main', 'topic'],
  );
  assert.deepEqual(
    repositoryChoices(known, { repositories: 'acme/site' }).map(({ label }) => label),
    ['any repository', 'acme/site', 'acme/docs'],
  );
});

test('a name replaces the default branch, and no name is the default branch again', () => {
  const main = chooseBranches(of('', true), [defaultBranch, 'main']);
  assert.deepEqual(main, of('main'));
  const both = chooseBranches(main, ['main', 'topic']);
  assert.deepEqual(both, of('main, topic'));
  assert.deepEqual(chooseBranches(both, ['main', 'topic', anyBranch]), of(''));
  assert.deepEqual(chooseBranches(of(''), [anyBranch, defaultBranch]), of('', true));
  assert.deepEqual(chooseBranches(main, []), of('', true));
  assert.deepEqual(chosenBranches(of('', true)), [defaultBranch]);
  assert.deepEqual(chosenBranches(of('')), [anyBranch]);
});

test('a repository replaces any repository, and any repository all names', () => {
  const one = chooseRepositories({ repositories: '' }, [anyBranch, 'acme/site']);
  assert.deepEqual(one, { repositories: 'acme/site' });
  assert.deepEqual(chooseRepositories(one, ['acme/site', anyBranch]), { repositories: '' });
  assert.deepEqual(chosenRepositories({ repositories: '!x' }), [anyBranch]);
});

const name = fc
  .stringMatching(/^[a-z (),"!*-]{1,8}$/)
  .map((text) => text.trim())
  .filter((text) => text !== '');

test('any chosen name matches itself, and patterns that leave names out stay', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), name, (names, left) => {
      const before = of(patternText({ include: [], exclude: [left] }), true);
      const draft = chooseBranches(before, [...chosenBranches(before), ...names]);
      assert.deepEqual(patternsOf(draft.branches), { include: names, exclude: [left] });
      assert.deepEqual(chosenBranches(draft), names);
      const rule = {
        ...draft,
        branches: patternsOf(patternText({ include: names, exclude: [] })),
        repositories: patternsOf(''),
        workflows: patternsOf(''),
      };
      for (const branch of names)
        assert.ok(looksAt(rule, { repository: 'r', workflow: null, branch }), JSON.stringify(draft));
    }),
  );
});

test('only the choices that stand for everything close the list', () => {
  assert.deepEqual([defaultBranch, anyBranch, 'default', 'any', ''].map(isWhole), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
