import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { webhookExamples } from '#test/support/data/webhook-examples.ts';
import { scanJson } from './scan-json.ts';

const scan = (text: string, limits?: { depth: number; values: number }) =>
  scanJson(Buffer.from(text), limits);

/** As the scanner reads bytes, so does the comparison: each byte is one character. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(Buffer.from(bytes).toString('latin1'));
    return true;
  } catch {
    return false;
  }
}

const agrees = (bytes: Uint8Array): void =>
  assert.equal(
    scanJson(bytes, { depth: 1000, values: 1e6 }) === 'ok',
    isJson(bytes),
    Buffer.from(bytes).toString('latin1'),
  );

/** A text each, between spaces. */
const odd = String.raw`
  1 [1,] [,1] [1[]] {"a"} {"a":} {"a":1,} {a:1} {"a":1] [1} 01 - -0 -01 1. .5 1.e1 1e 1e+ 1E-5 +1 0x1 NaN 1e400
  " "\" "\x" "\u12g4" "\u123 "\ud800" "\/" 'a' "a":1 tru true nul nulls True undefined [ ] { } [[] []] {}{} : , [:]
  {"a":1,"a":2} [1,[2,[3]]] {"":""} {1:1} {,} {"a"::1}`.split(/\s+/);

const spaced = [
  '',
  ' ',
  '\ufeff1',
  '1 2',
  '[1 2]',
  '- 1',
  '"\n"',
  '"\u0000"',
  '{"a" : [ ] , "b"\t:\r\n{ } }',
  '\u00a01',
  '\f1',
];

test('the scanner accepts exactly what JSON.parse accepts', () => {
  for (const text of [...odd, ...spaced]) agrees(Buffer.from(text));
  fc.assert(fc.property(fc.json(), (text) => agrees(Buffer.from(text))));
  const character = fc.constantFrom(...'[]{},:"\\u0019eE+-. \ntrufalsn\u00e9\u0007');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 20 }), (text) => agrees(Buffer.from(text))),
    {
      numRuns: 5000,
    },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 30 }), agrees));
});

test('the scanner agrees with JSON.parse on JSON with one changed character', () => {
  const changed = fc
    .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([text, place, byte]) => {
      const bytes = Buffer.from(text);
      bytes[place % bytes.length] = byte;
      return bytes;
    });
  fc.assert(fc.property(changed, agrees), { numRuns: 3000 });
});

test("the scanner agrees with JSON.parse on a forge's payloads with up to three changed bytes", () => {
  const payloads = webhookExamples().map(({ payload }) => Buffer.from(JSON.stringify(payload)));
  for (const bytes of payloads) assert.equal(scanJson(bytes), 'ok');
  const byte = fc.oneof(fc.constantFrom(...Buffer.from('[]{},:"\\u019-+.eE tfn\n\0')), fc.nat(255));
  const change = fc.record({ place: fc.nat(), removed: fc.nat(2), added: fc.array(byte, { maxLength: 2 }) });
  const changes = fc.array(change, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...payloads), changes, (payload, made) => {
      let bytes = payload;
      for (const { place, removed, added } of made) {
        const at = place % bytes.length;
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(added), bytes.subarray(at + removed)]);
      }
      agrees(bytes);
    }),
    { numRuns: 2000 },
  );
});

test('the limits count open brackets, and all values without field names', () => {
  const limits = { depth: 3, values: 5 };
  assert.equal(scan('[[[]],{"a":{}}]', limits), 'ok');
  assert.equal(scan('[[[[]]]]', limits), 'too_deep');
  assert.equal(scan('{"a":{"b":{"c":{}}}}', limits), 'too_deep');
  assert.equal(scan('"[[[[[[["', limits), 'ok');
  assert.equal(scan('[1,"2",true,null]', limits), 'ok');
  assert.equal(scan('[1,"2",true,null,{}]', limits), 'too_many_values');
  assert.equal(scan('{"a":1,"b":[1,2,3]}', limits), 'too_many_values');
});

test('the scanner stops at the first fault', () => {
  assert.equal(scan(`${'['.repeat(64)}${']'.repeat(64)}`), 'ok');
  assert.equal(scan('['.repeat(65)), 'too_deep');
  assert.equal(scan(`${'{"a":'.repeat(65)} no JSON`), 'too_deep');
  assert.equal(scan('['.repeat(64)), 'invalid');
  assert.equal(scan(`[${'0,'.repeat(250_000)} no JSON`), 'too_many_values');
});
