import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOfIssuer } from './issuer.ts';

const hosts: Record<string, string> = {
  'https://token.actions.githubusercontent.com': 'github.com',
  'https://token.actions.githubusercontent.com/octocat-inc': 'github.com',
  'https://token.actions.octo.ghe.com': 'octo.ghe.com',
  'https://github.example.com/_services/token': 'github.example.com',
  'https://codeberg.org/api/actions': 'codeberg.org',
  'http://forge.internal:3000/api/actions': 'forge.internal:3000',
};

for (const [issuer, host] of Object.entries(hosts))
  test(`${issuer} is the issuer of ${host}`, () => assert.equal(hostOfIssuer(issuer), host));

const refused = [
  '',
  'codeberg.org/api/actions',
  'https://codeberg.org/mallory/api/actions',
  'https://codeberg.org/api/actions/',
  'https://codeberg.org/api/actions?x=1',
  'https://codeberg.org/x/../api/actions',
  'https://user@codeberg.org/api/actions',
  'ftp://codeberg.org/api/actions',
  'http://token.actions.githubusercontent.com',
  'https://token.actions.githubusercontent.com/a/b',
  'https://token.actions.githubusercontent.com.evil.example',
  'https://token.actions.a.b.ghe.com',
  'https://token.actions.octo.ghe.com/api/actions',
];

for (const issuer of refused)
  test(`"${issuer}" is no issuer of a forge`, () => assert.equal(hostOfIssuer(issuer), undefined));
