import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayChangeState } from './origin-check.ts';

const allowed = ['https://app.example'];

/** Rows: method, headers, whether the request passes (auth.md, T-CSRF). */
const table: [string, Record<string, string>, boolean][] = [
  ['POST', { 'sec-fetch-site': 'same-origin' }, true],
  ['POST', { 'sec-fetch-site': 'none' }, true],
  ['POST', { 'sec-fetch-site': 'cross-site' }, false],
  ['POST', { 'sec-fetch-site': 'same-site' }, false],
  ['POST', {}, true],
  ['POST', { origin: 'https://app.example' }, true],
  ['POST', { origin: 'https://evil.example' }, false],
  ['POST', { origin: 'null' }, false],
  ['POST', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, true],
  ['POST', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['POST', { origin: 'https://app.example, https://evil.example' }, false],
  ['POST', { origin: 'https://app.example/' }, false],
  ['POST', { origin: 'https://APP.example' }, false],
  ['POST', { origin: 'https://app.example/path' }, false],
  ['PUT', { origin: 'https://evil.example' }, false],
  ['PATCH', { 'sec-fetch-site': 'cross-site' }, false],
  ['DELETE', { origin: 'https://evil.example' }, false],
  ['GET', { 'sec-fetch-site': 'cross-site' }, true],
  ['HEAD', { origin: 'https://evil.example' }, true],
  ['OPTIONS', { 'sec-fetch-site': 'cross-site' }, true],
];

for (const [method, headers, passes] of table) {
  test(`${method} with ${JSON.stringify(headers)} ${passes ? 'passes' : 'is refused'}`, () => {
    assert.equal(mayChangeState({ method, headers }, allowed), passes);
  });
}
