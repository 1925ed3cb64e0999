import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { redirectTarget } from './redirect-target.ts';

const app = 'https://app.example.com';
const target = (value: string) => redirectTarget(value, app, [app]);
const hostile = readFileSync(
  path.join(import.meta.dirname, '../../../test/vectors/openredirects.txt'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '');

test('known open redirects never leave the origin', () => {
  assert.equal(hostile.length, 558);
  const spellings: Record<string, (line: string) => string> = {
    raw: (line) => line,
    decoded: (line) => safeDecode(line),
    'encoded again': (line) => line.replaceAll('%', '%25'),
    'behind our origin': (line) => app + line,
  };
  for (const [name, spell] of Object.entries(spellings)) {
    const accepted = hostile.map(spell).flatMap((line) => target(line) ?? []);
    for (const url of accepted) assert.equal(new URL(url).origin, app, `${name}: ${url}`);
    assert.ok(accepted.length <= 5, `${name}: ${accepted.length} accepted: ${accepted.join(' ')}`);
  }
});

test('addresses of the app are accepted in their normal form', () => {
  const understood: Record<string, string> = {
    '/': `${app}/`,
    '/dashboard': `${app}/dashboard`,
    '/a?b=c#d': `${app}/a?b=c#d`,
    '/a%20b': `${app}/a%20b`,
    '/?next=https://evil.com': `${app}/?next=https://evil.com`,
    '/é': `${app}/%C3%A9`,
    [app]: `${app}/`,
    [`${app}/runs`]: `${app}/runs`,
    [`${app}:443/runs`]: `${app}/runs`,
  };
  for (const [value, url] of Object.entries(understood)) assert.equal(target(value), url, value);
});

for (const value of [
  'https://app.example.com@evil.com',
  'https://app.example.com.evil.com',
  'https:app.example.com',
  'https:/app.example.com',
  'https:///app.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  '/\\evil.com',
  '/\t/evil.com',
  '/..//evil.com',
  '/%2e%2e/%2fevil.com',
  '/%252e%252e%252f%252fevil.com',
  'https://app.example.com//evil.com',
  'https://app.example.com\\@evil.com',
  'https://me@app.example.com/',
  'https://app.example.com:8443/',
  'http://app.example.com/',
  '//evil.com',
  'evil.com',
  '/\u200bx',
  '/a b',
  '/%',
  '',
  `/${'a'.repeat(2048)}`,
]) {
  test(`${JSON.stringify(value.slice(0, 60))} is refused`, () => assert.equal(target(value), undefined));
}

test('every redirect target is an allowed origin or undefined', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('', '/', '//', app),
      (text, before) => {
        const url = target(before + text);
        assert.ok(url === undefined || new URL(url).origin === app);
      },
    ),
    { numRuns: 2000 },
  );
});

function safeDecode(line: string): string {
  try {
    return decodeURIComponent(line);
  } catch {
    return line;
  }
}
