import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Reads whether the browser's language is valid, before anything is formatted. */
const others = new Set(['web/ui/locale.ts', 'web/app/fix-language.ts']);

test('only one file formats numbers and dates, so that every page uses the locale of its reader', () => {
  const files = globSync('web/**/*.{ts,tsx}', { cwd: `${import.meta.dirname}/../..` });
  const found = files.filter(
    (file) =>
      !others.has(file) &&
      !file.endsWith('.test.ts') &&
      /\.toLocale(Date|Time)?String\(|\bIntl\.|\.toFixed\(/.test(
        readFileSync(`${import.meta.dirname}/../../${file}`, 'utf8'),
      ),
  );
  assert.ok(files.length > 100);
  assert.deepEqual(found, []);
});
