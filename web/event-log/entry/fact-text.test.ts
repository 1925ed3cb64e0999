import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

// Must be set before the formatters are created.
process.env['TZ'] = 'Asia/Kathmandu';
const { factName, factText } = await import('./fact-text.ts');

test('the name of a fact becomes words', () => {
  for (const [name, words] of [
    ['previousRole', 'Previous role'],
    ['role', 'Role'],
    ['tokenId', 'Token id'],
    ['installationAccountLogin', 'Installation account login'],
    ['days30', 'Days30'],
    ['', ''],
  ] as const)
    assert.equal(factName(name), words);
});

test('a time is local, with its zone', () => {
  assert.match(factText('2026-11-20T12:00:00.000Z'), /20.*5:45:00.*Asia\/Kat[h]?mandu$/);
});

test('texts that only resemble a time stay as they are', () => {
  for (const text of [
    '2026-11-20',
    '2026-11-20T12:00:00',
    'at 2026-11-20T12:00:00Z',
    '2026-11-20T12:00:00Z!',
  ])
    assert.equal(factText(text), text);
});

test('lists are joined, also nested ones, and other values are JSON', () => {
  assert.equal(factText(['a', 'b']), 'a, b');
  assert.equal(factText([]), '');
  assert.equal(factText(['a', ['b', 7]]), 'a, b, 7');
  assert.equal(factText(7), '7');
  assert.equal(factText(false), 'false');
  assert.equal(factText({ from: 'viewer', to: null }), '{"from":"viewer","to":null}');
});

test('every value of an entry has a text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.equal(typeof factText(value), 'string');
    }),
  );
});

test('an impossible time does not break the page', () => {
  for (const text of ['2026-99-99T99:99:99Z', '0000-00-00T00:00:00Z', '2026-11-20T.Z'])
    assert.equal(factText(text), text);
});
