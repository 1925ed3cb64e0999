import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSignInCookie, readSignInState } from './sign-in-state.ts';

const encode = (value: unknown, alphabet: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(JSON.stringify(value)).toString(alphabet);

test('the state is read in both base64 alphabets, also with a space for a plus sign', () => {
  const value = { redirect_url: '/?>>>???~~~', n: 'one' };
  const read = { redirectUrl: value.redirect_url, n: 'one' };
  assert.match(encode(value), /\+/);
  assert.deepEqual(readSignInState(encode(value)), read);
  assert.deepEqual(readSignInState(encode(value, 'base64url')), read);
  assert.deepEqual(readSignInState(encode(value).replaceAll('+', ' ')), read);
});

test('the state accepts only own properties that are strings', () => {
  const nothing = { redirectUrl: undefined, n: undefined };
  for (const value of [{}, { redirect_url: ['/'] }, { redirect_url: 1, n: {} }, { redirect_url: '' }])
    assert.deepEqual(readSignInState(encode(value)), nothing);
  const inherited = Buffer.from('{"__proto__":{"redirect_url":"/x"}}').toString('base64');
  assert.deepEqual(readSignInState(inherited), nothing);
});

for (const [what, state] of [
  ['nothing', ''],
  ['text that is not base64', 'eyJh!!!'],
  ['base64 with something behind it', `${encode({})} !!!`],
  ['base64 of no JSON', Buffer.from('{').toString('base64')],
  ['a list', encode(['/'])],
  ['null', encode(null)],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
  ['more than 4096 characters', encode({ redirect_url: 'a'.repeat(4096) })],
] as const) {
  test(`${what} is no state`, () => assert.equal(readSignInState(state), undefined));
}

test('the state parser throws for no input', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json().map(encode)), (text) => {
      readSignInState(text);
      readSignInCookie(text);
    }),
    { numRuns: 2000 },
  );
});
