import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf, hashOf, isWellFormedToken, makeToken } from './token-format.ts';

test('the checksum follows the rule of GitHub', () => {
  // The token that GitHub’s article and secret scanners use as an example, without its prefix.
  assert.equal(checksumOf('zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'), '0mLq17');
});

test('a new token has the prefix, 30 random digits and a checksum', () => {
  const tokens = Array.from({ length: 200 }, makeToken);
  for (const token of tokens) {
    assert.match(token, /^fw_[0-9A-Za-z]{36}$/);
    assert.ok(isWellFormedToken(token), token);
  }
  assert.equal(new Set(tokens).size, tokens.length);
  const used = new Set(tokens.map((token) => token.slice(3, 33)).join(''));
  assert.equal(used.size, 62);
});

test('a token with any other digit is not well-formed', () => {
  const token = makeToken();
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'x' ? 'y' : 'x';
    const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`;
    assert.equal(isWellFormedToken(changed), false, changed);
  }
  for (const text of [
    '',
    'fw_',
    token.slice(0, -1),
    `${token}0`,
    ` ${token}`,
    `${token}\n`,
    token.toUpperCase(),
  ])
    assert.equal(isWellFormedToken(text), false, JSON.stringify(text));
});

test('the stored hash is SHA-256', () => {
  assert.equal(hashOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
