import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { hasHiddenCharacters, visibleText } from './plain-text.ts';
import { EmailAddress, oneLine } from './schema.ts';

const line = Compile(oneLine(100));
const email = Compile(EmailAddress);

test('a name accepts letters of any script and emoji', () => {
  for (const name of ['Platform', 'Zoë', 'فريق', 'می‌خواهم', '👩‍👩‍👧 family', '日本語', 'a\u00a0b']) {
    assert.equal(line.Check(name), true, name);
    assert.equal(visibleText(name), name);
  }
});

test('names and addresses refuse invisible and direction-changing characters', () => {
  for (const character of [
    '\u202e',
    '\u2066',
    '\u200f',
    '\u061c',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u3164',
    '\u0007',
    '\u2028',
  ]) {
    const text = `a${character}b`;
    assert.equal(hasHiddenCharacters(text), true, JSON.stringify(text));
    assert.equal(line.Check(text), false, JSON.stringify(text));
    assert.equal(email.Check(`a${character}b@example.com`), false, JSON.stringify(text));
    assert.equal(visibleText(text), 'a b');
  }
  assert.equal(visibleText('x\ud800y\u{e0041}\u{e0042}z'), 'x y z');
});
