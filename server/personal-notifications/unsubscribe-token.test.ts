import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeUnsubscribeTokens } from './unsubscribe-token.ts';

const [key, otherKey] = [randomBytes(32), randomBytes(32)];
const tokens = makeUnsubscribeTokens([key]);

test('a token names its person, also after the key is rotated', () => {
  const userId = randomUUID();
  const token = tokens.make(userId);
  assert.equal(tokens.read(token), userId);
  assert.equal(makeUnsubscribeTokens([otherKey, key]).read(token), userId);
  assert.equal(makeUnsubscribeTokens([otherKey]).read(token), undefined);
});

test('no changed or invented token is valid', () => {
  const token = tokens.make(randomUUID());
  const bytes = Buffer.from(token, 'base64url');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ by;
      return tokens.read(changed.toString('base64url')) === undefined;
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => tokens.read(text) === undefined),
  );
});
