import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingRepositories } from './matching-repositories.ts';

const named = (...names: string[]) => names.map((name) => ({ name, mayAdminister: true }));
const found = (repositories: ReturnType<typeof named>, typed: string): string[] =>
  matchingRepositories(repositories, typed).map(({ name }) => name);
const all = named('acme/Site', 'acme/docs', 'octo/site-tools');

test('the typed text is found anywhere in the name, whatever the case', () => {
  assert.deepEqual(found(all, 'SITE'), ['acme/Site', 'octo/site-tools']);
  assert.deepEqual(found(all, 'acme/'), ['acme/Site', 'acme/docs']);
  assert.deepEqual(found(all, ' docs '), ['acme/docs']);
  assert.deepEqual(found(all, 'nothing'), []);
});

test('without a text all are shown, in their order', () => {
  assert.deepEqual(found(all, '  '), ['acme/Site', 'acme/docs', 'octo/site-tools']);
});

test('special characters are literal', () => {
  assert.deepEqual(found(named('a.b/c', 'axb/c', 'a*/c'), 'a.b'), ['a.b/c']);
  assert.deepEqual(found(named('a.b/c', 'a*/c'), '*'), ['a*/c']);
});

test('a long list is cut, and the filter finds the others', () => {
  const many = named(...Array.from({ length: 1000 }, (_, index) => `acme/r${index}`));
  assert.equal(found(many, '').length, 200);
  assert.deepEqual(found(many, 'r999'), ['acme/r999']);
});
