import assert from 'node:assert/strict';
import { test } from 'node:test';
import { savedText } from './saved-text.ts';

for (const [count, text] of [
  [0, 'Rule created'],
  [1, 'Rule created. It notifies about 1 workflow that is red now.'],
  [3, 'Rule created. It notifies about 3 workflows that are red now.'],
  [50, 'Rule created. It notifies about the 50 newest workflows that are red now.'],
  [null, 'Rule created. What is red now could not be checked. Save the rule again to be notified about it.'],
] as const)
  test(`a saved rule that notifies about ${count} red workflows says so`, () => {
    assert.equal(savedText('Rule created', count), text);
  });
