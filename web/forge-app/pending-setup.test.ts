import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { fakeStorage, setPageGlobals } from '#test/support/browser/page-globals.ts';
import { keepSetup, readSetup } from './pending-setup.ts';

beforeEach(() => setPageGlobals({ localStorage: fakeStorage() }));

test('the setup that this browser started is found by its proof, or without one', () => {
  keepSetup({ integrationId: 'one', proof: 'p1' });
  assert.deepEqual(readSetup('p1'), { integrationId: 'one', proof: 'p1' });
  assert.deepEqual(readSetup(undefined), { integrationId: 'one', proof: 'p1' });
});

test('a proof from another browser, or one that a later setup replaced, is refused', () => {
  assert.equal(readSetup('p1'), undefined);
  keepSetup({ integrationId: 'one', proof: 'p1' });
  keepSetup({ integrationId: 'two', proof: 'p2' });
  assert.equal(readSetup('p1'), undefined);
  assert.equal(readSetup('p2')?.integrationId, 'two');
});

test('a damaged or missing storage means that nothing was started', () => {
  for (const kept of ['{', 'null', '7', '{"proof":1,"integrationId":"one"}', '{"proof":"p1"}']) {
    localStorage.setItem('forgewatch.forge-app', kept);
    assert.equal(readSetup('p1'), undefined, kept);
  }
  setPageGlobals({ localStorage: fakeStorage(true) });
  assert.equal(readSetup('p1'), undefined);
});
