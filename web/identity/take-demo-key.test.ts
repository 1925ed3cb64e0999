import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { demoKeyCookieName, demoKeyCookiePath } from '#contract/members/identity.ts';
import { openAddress, setPageGlobals } from '#test/support/browser/page-globals.ts';
import { takeDemoKey } from './take-demo-key.ts';

const page = { cookie: '' };
beforeEach(() => {
  page.cookie = '';
  setPageGlobals({ document: page });
});

test('the demo key leaves the address for a cookie of the demo page', () => {
  openAddress('https://host.test/?key=abc_123&to=%2Faccount');
  takeDemoKey();
  assert.equal(location.href, 'https://host.test/?to=%2Faccount');
  assert.match(
    page.cookie,
    new RegExp(`^${demoKeyCookieName}=abc_123; Path=${demoKeyCookiePath};.*SameSite=Strict`),
  );
});

test('a key with other characters sets no cookie, but leaves the address too', () => {
  for (const key of ['a;Path=/', 'a%0d%0ab', '', 'x'.repeat(201)]) {
    openAddress(`https://host.test/?key=${key}`);
    takeDemoKey();
    assert.deepEqual([location.href, page.cookie], ['https://host.test/', '']);
  }
});

test('a parameter of the same name on another page is left alone', () => {
  openAddress('https://host.test/account?key=abc');
  takeDemoKey();
  assert.deepEqual([location.href, page.cookie], ['https://host.test/account?key=abc', '']);
});
