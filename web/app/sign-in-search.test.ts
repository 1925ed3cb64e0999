import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignInSearch } from './sign-in-search.ts';

test('pages of this app are valid return addresses, with their queries', () => {
  for (const to of [
    '/',
    '/account',
    '/integrations/1/runs?q=a%20b&status=failed',
    '/a?next=https://evil.example',
  ])
    assert.deepEqual(readSignInSearch({ to }), { to });
});

test('addresses that may lead elsewhere are dropped', () => {
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

test('an error code is a word and not free text', () => {
  assert.deepEqual(readSignInSearch({ error: 'sign_in_not_bound' }), { error: 'sign_in_not_bound' });
  for (const error of ['Call 0900 1234', '<b>', 'a'.repeat(61), 7, ''])
    assert.deepEqual(readSignInSearch({ error }), {});
});
