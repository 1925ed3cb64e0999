import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { errorCodes } from '#contract/base/errors.ts';
import { documentSettings } from '#platform/runtime/settings/settings.ts';

const guide = await readFile(path.join(import.meta.dirname, '../../docs/guide/troubleshooting.md'), 'utf8');

test('the guide says what to do about every error code, and has no other', () => {
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` \| (.+) \| (.+) \|$/gm)];
  assert.deepEqual(rows.map(([, code]) => code).toSorted(), Object.keys(errorCodes).toSorted());
});

test('every setting that the guide names exists', () => {
  const known = new Set(documentSettings().map(({ name }) => name));
  const named = [...guide.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name!);
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  );
});
