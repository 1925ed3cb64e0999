import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { configurationPage } from './configuration-page.ts';

test('docs/configuration.md matches the settings (npm run docs writes it)', () => {
  const file = path.join(import.meta.dirname, '../../docs/configuration.md');
  assert.equal(readFileSync(file, 'utf8'), configurationPage());
});
