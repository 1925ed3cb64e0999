import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInFailure } from './sign-in-failures.ts';

test('a known failure has its own title and says what to do next', () => {
  const { title, advice } = signInFailure('sign_in_not_bound');
  assert.notEqual(title, signInFailure('anything_else').title);
  assert.match(advice, /cookies/);
});

test('an unknown code in the address gets the general text, whatever it is called', () => {
  const { title } = signInFailure('');
  for (const code of ['constructor', '__proto__', 'toString', '<b>', 'Call 0900 1234'])
    assert.equal(signInFailure(code).title, title);
});
