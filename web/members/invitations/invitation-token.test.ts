import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fakeStorage, openAddress, setPageGlobals } from '#test/support/browser/page-globals.ts';
import { forgetInvitation, readInvitation } from './invitation-token.ts';

beforeEach(() => setPageGlobals({ sessionStorage: fakeStorage() }));

test('the token leaves the address and is found again after the sign-in', () => {
  openAddress('https://host.test/invitation#token=secret');
  assert.equal(readInvitation(), 'secret');
  assert.equal(location.href, 'https://host.test/invitation');
  assert.equal(readInvitation(), 'secret');
});

test('a newer link replaces the kept token', () => {
  openAddress('https://host.test/invitation#token=old');
  readInvitation();
  openAddress('https://host.test/invitation#token=new');
  assert.equal(readInvitation(), 'new');
  openAddress('https://host.test/invitation');
  assert.equal(readInvitation(), 'new');
});

test('a used invitation is forgotten', () => {
  openAddress('https://host.test/invitation#token=secret');
  readInvitation();
  forgetInvitation();
  assert.equal(readInvitation(), undefined);
});

test('the link works in a browser that blocks storage', () => {
  setPageGlobals({ sessionStorage: fakeStorage(true) });
  openAddress('https://host.test/invitation#token=secret');
  assert.equal(readInvitation(), 'secret');
  forgetInvitation();
  openAddress('https://host.test/invitation');
  assert.equal(readInvitation(), undefined);
});
