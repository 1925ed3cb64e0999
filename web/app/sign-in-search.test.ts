import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignInSearch } from './sign-in-search.ts';

test('pages of this app are returned to, with their queries', () => {
  for (const to of [
    '/',
    '/account',
    '/integrations/1/runs?q=a%20b&status=failed',
    '/a?next=https://evil.example',
  ])
    assert.deepEqual(readSignInSearch({ to }), { to });
});

test('whatever may lead elsewhere is left out', () => {
  for (const to of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    'account',
    '',
    `/${'a'.repeat(2000)}`,
    ['/account'],
    7,
  ])
    assert.deepEqual(readSignInSearch({ to }), {}, JSON.stringify(to));
});

test('a code is a word, never a text that somebody wrote into the address', () => {
  assert.deepEqual(readSignInSearch({ error: 'sign_in_not_bound' }), { error: 'sign_in_not_bound' });
  for (const error of ['Call 0900 1234', '<b>', 'a'.repeat(61), 7, ''])
    assert.deepEqual(readSignInSearch({ error }), {});
});
