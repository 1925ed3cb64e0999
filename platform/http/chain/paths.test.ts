import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCanonicalPath } from './canonical-path.ts';
import { publicPrefixes } from './public-prefixes.ts';

for (const target of [
  '/api/import/../integrations/x',
  '/api/import/%2e%2e/integrations/x',
  '/api/import/..%2fintegrations/x',
  '//evil/api',
  '/api/forge/\\..\\x',
  '/api/./user',
  '/api/import/%00',
  '/api/%5cuser',
  '/api/é',
  '/api/user#x',
  '/%61pi/user',
  '/a%70i/user',
  '/API/%55ser',
  '/api/auth%2Drefresh',
  '/api/%31',
  '/api/auth/ws%2dtoken',
  'http://evil/api/user',
]) {
  test(`${target} is ambiguous`, () => assert.equal(isCanonicalPath(target), false));
}

for (const target of [
  '/',
  '/api/user',
  '/api/import/0b0e',
  '/api/integrations?cursor=%2e%2e%2f//',
  '/a.b/c..d',
  '/a%20b/%C3%A9/50%25/%40me',
]) {
  test(`${target} is unambiguous`, () => assert.equal(isCanonicalPath(target), true));
}

test('a prefix with a trailing slash covers its subtree, any other only its path', () => {
  const isPublic = publicPrefixes(['/api/auth/callback', '/api/import/']);
  for (const path of ['/api/auth/callback', '/api/import/x', '/api/import/'])
    assert.equal(isPublic(path), true, path);
  for (const path of [
    '/api/auth/callback-evil',
    '/api/auth/callback/x',
    '/api/import',
    '/API/IMPORT/x',
    '/api/importer/x',
  ]) {
    assert.equal(isPublic(path), false, path);
  }
});
