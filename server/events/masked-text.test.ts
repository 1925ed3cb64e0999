import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { maskStepName } from '#server/masking/mask-text.ts';
import { secrets, tokens } from '#test/support/data/arbitrary-secrets.ts';
import { maskedText } from './parsing/payload-fields.ts';

const words = fc.array(fc.constantFrom('deploy', 'the', 'shop', 'with', 'a'), { maxLength: 60 });

/** Of the secret, also when the end of the text is cut off. */
const visiblePart = (text: string, parts: readonly string[]): string | undefined =>
  parts.map((part) => part.slice(0, 16)).find((part) => text.includes(part));

test('a token does not survive in a title, wherever the title is cut', () => {
  fc.assert(
    fc.property(
      words,
      fc.oneof(...Object.values(tokens)),
      fc.integer({ min: 1, max: 300 }),
      (before, { text, parts }, most) => {
        const title = maskedText(`${before.join(' ')} ${text} again`, most) ?? '';
        assert.ok(title.length <= most);
        assert.equal(visiblePart(title, parts), undefined, title);
      },
    ),
    { numRuns: 500 },
  );
});

test('no secret survives in the name of a step that quotes its script', () => {
  fc.assert(
    fc.property(fc.oneof(...Object.values(secrets)), ({ text, parts }) => {
      const name = maskedText(`Run ${text}`, 255, maskStepName) ?? '';
      assert.equal(visiblePart(name, parts), undefined, name);
    }),
    { numRuns: 500 },
  );
});

test('names and titles keep words that only look like secrets', () => {
  for (const text of [
    'Secrets: scan',
    'authorization: refuse viewers',
    'password: show strength',
    'Cookie: set SameSite',
    'Fix token = null (#412)',
    'Revert "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"',
  ]) {
    assert.equal(maskedText(text, 255), text);
    assert.equal(maskedText(text, 255, maskStepName), text);
  }
});

test('names and titles lose escape sequences and keep the text between them', () => {
  assert.equal(
    maskedText('\u001b[1;31mRun\u001b[0m tests \u001b]8;;https://example.com\u0007here', 255),
    'Run tests here',
  );
  assert.equal(maskedText('\u001b[0m', 255), null);
});
