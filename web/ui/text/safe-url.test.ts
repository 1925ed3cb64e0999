import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeUrl } from './safe-url.ts';

test('only web URLs are linked', () => {
  assert.equal(safeUrl('https://forge.test/a/b'), 'https://forge.test/a/b');
  assert.equal(safeUrl('http://forge.test'), 'http://forge.test');
  for (const url of [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'data:text/html,x',
    '/relative',
    '',
    null,
  ]) {
    assert.equal(safeUrl(url), undefined);
  }
});
