import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, roles } from '#contract/members/roles.ts';
import { setClientGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
const { roleReason } = await import('./use-integration.ts');

test('a role that is too low gets a reason, and every other role gets none', () => {
  for (const role of roles)
    for (const minimum of roles)
      assert.equal(roleReason(role, minimum) === undefined, atLeast(role, minimum), `${role} for ${minimum}`);
});

test('the reason names the role of the person and who may act', () => {
  assert.equal(
    roleReason('viewer', 'member'),
    'Your role here is viewer; this is for members, admins and the owner',
  );
  assert.equal(roleReason('member', 'admin'), 'Your role here is member; this is for admins and the owner');
  assert.equal(roleReason('admin', 'owner'), 'Your role here is admin; this is for the owner');
});
