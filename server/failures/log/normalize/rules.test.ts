import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { normalizationRules, normalizeErrorLine } from './rules.ts';

interface ErrorLines {
  tools: Record<string, { recorded: string[]; groups: string[][] }>;
}

const file = path.join(import.meta.dirname, '../../../../test/vectors/failure-logs/error-lines.json');
const { tools } = JSON.parse(readFileSync(file, 'utf8')) as ErrorLines;
const groups = Object.values(tools).flatMap((tool) => tool.groups);

for (const [tool, { groups }] of Object.entries(tools))
  test(`lines of ${tool} with one cause become one line`, () => {
    for (const [first = '', ...others] of groups)
      for (const other of others) assert.equal(normalizeErrorLine(other), normalizeErrorLine(first));
  });

test('lines with different causes stay different', () => {
  const seen = new Map<string, string>();
  for (const [line = ''] of groups) {
    const normalized = normalizeErrorLine(line);
    const known = seen.get(normalized);
    assert.equal(known, undefined, `${line}\n${known}\nboth become ${normalized}`);
    seen.set(normalized, line);
  }
});

test('the error lines of twelve toolchains are at least 150', () => {
  assert.equal(Object.keys(tools).length, 12);
  assert.ok(groups.flat().length >= 150);
});

test('each normalization rule changes the result for a line', () => {
  const lines = [...groups.flat(), ...examples.map(([line]) => line)];
  const apply = (rules: typeof normalizationRules, line: string) =>
    rules.reduce((text, { pattern, by }) => text.replace(pattern, by), line).trim();
  const unused = normalizationRules.filter((rule) => {
    const others = normalizationRules.filter((other) => other !== rule);
    return lines.every((line) => apply(others, line) === normalizeErrorLine(line));
  });
  assert.deepEqual(
    unused.map(({ removes }) => removes),
    [],
  );
});

const examples: readonly (readonly [line: string, normalized: string])[] = [
  ['login with *** failed', 'login with <secret> failed'],
  ['cannot read src\\pages\\run.ts', 'cannot read src/pages/run.ts'],
  ['cannot read /tmp/a1b2/c', 'cannot read <tmp>'],
  // Runners of the forge and runners of one's own.
  ...['work', '_work'].map(
    (folder) => [`/home/ci/${folder}/shop/shop/src/a.ts:12:5: broken`, 'src/a.ts:#: broken'] as const,
  ),
  ['file:///srv/app/a.js is missing', '/srv/app/a.js is missing'],
  ['run a3bb189e-8bf9-3888-9912-ace4e6543002 failed', 'run <id> failed'],
  ['expired at 2026-11-20T10:00:01.123Z', 'expired at <time>'],
  ['got sha256:9f86d081884c7d659a2feaa0c55ad015', 'got <hash>'],
  ['GET https://user.example.com:8443/health failed', 'GET https://<host>/health failed'],
  ['connect ECONNREFUSED 10.0.0.5:5432', 'connect ECONNREFUSED <host>'],
  ['cannot reach db-7.prod.example.com', 'cannot reach <host>'],
  ['connect to localhost:41873 failed', 'connect to <host> failed'],
  ['getaddrinfo ENOTFOUND db7', 'getaddrinfo ENOTFOUND <host>'],
  ['timed out after 1m 30s', 'timed out after <duration>'],
  ['heap of 4096 MB is full', 'heap of <size> is full'],
  ['at 0x7f3a2c1d5e50', 'at <hex>'],
  ['commit 4f1d0c9 is missing', 'commit <hex> is missing'],
  ['pod web-7d9c6b5f48-x2k9q crashed', 'pod web-<id> crashed'],
  ['request Xy12Zq98Kj34 failed', 'request <id> failed'],
  ['exit code 137', 'exit code c137'],
  ['expected 1,024.5 to be -3', 'expected # to be #'],
  ['container job1234567 is gone', 'container job# is gone'],
  ['between 10.5-11.2', 'between #'],
  ['too   many\tspaces', 'too many spaces'],
];

for (const [line, normalized] of examples)
  test(`normalizeErrorLine turns "${line}" into "${normalized}"`, () => {
    assert.equal(normalizeErrorLine(line), normalized);
  });

test('normalizeErrorLine keeps codes of errors and names', () => {
  for (const line of [
    'error TS2322: no',
    'error[E0308]: no',
    'deadbeef facade',
    'java.io.IOException',
    'utf8 and sha256',
  ])
    assert.equal(normalizeErrorLine(line), line);
});
