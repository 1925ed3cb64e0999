import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstalledSearch } from './installed-search.ts';

test('the installation and the state that the forge adds are read', () => {
  const expected = { installation_id: '4711', state: 'proof' };
  assert.deepEqual(
    readInstalledSearch({ installation_id: '4711', state: 'proof', setup_action: 'install' }),
    expected,
  );
  // The router parses digits as a number.
  assert.deepEqual(readInstalledSearch({ installation_id: 4711, state: 'proof' }), expected);
});

test('an installation that is no whole positive number is dropped', () => {
  for (const id of ['0', '-1', '1.5', '1e3', '4711/../1', '9'.repeat(19), '', null, ['4711'], 0.5, 1e21])
    assert.deepEqual(readInstalledSearch({ installation_id: id, state: 'proof' }), { state: 'proof' });
});

test('a state that is empty or no text is dropped', () => {
  for (const state of ['', 7, null, ['proof']])
    assert.deepEqual(readInstalledSearch({ installation_id: '1', state }), { installation_id: '1' });
});
