import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownHead, unknownFork } from './head-repository.ts';

test('any order of events about the head of a run keeps the same name, and a named fork wins', () => {
  const heads = [null, unknownFork, 'ann/site', 'ben/site'];
  for (const one of heads)
    for (const two of heads) {
      assert.equal(knownHead(one, two), knownHead(two, one));
      for (const three of heads)
        assert.equal(knownHead(knownHead(one, two), three), knownHead(one, knownHead(two, three)));
    }
  assert.equal(knownHead(unknownFork, 'ann/site'), 'ann/site');
  assert.equal(knownHead(null, unknownFork), unknownFork);
});
