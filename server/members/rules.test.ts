import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roles, type Role } from '#contract/members/roles.ts';
import { mayChangeRole, mayInvite, mayRemove } from './rules.ts';

const below: Role[] = ['viewer', 'member'];
const grantable: Role[] = ['viewer', 'member', 'admin'];

/** The role tables, written independently: actor, target, new role. */
const allowedChanges = new Set([
  ...grantable.flatMap((target) => grantable.map((role) => `owner ${target} ${role}`)),
  ...below.flatMap((target) => grantable.map((role) => `admin ${target} ${role}`)),
]);

test('of the 64 changes of a role the 9 of the owner and the 6 of an admin are allowed', () => {
  const allowed = [];
  for (const actorRole of roles)
    for (const targetRole of roles)
      for (const newRole of roles)
        if (mayChangeRole({ actorRole, targetRole, newRole, isSelf: false }) === 'yes')
          allowed.push(`${actorRole} ${targetRole} ${newRole}`);
  assert.deepEqual(new Set(allowed), allowedChanges);
  assert.equal(allowed.length, 15);
});

test('nobody changes their own role', () => {
  for (const role of roles)
    for (const newRole of roles)
      assert.notEqual(mayChangeRole({ actorRole: role, targetRole: role, newRole, isSelf: true }), 'yes');
});

test('each refusal says why', () => {
  const change = (actorRole: Role, targetRole: Role, newRole: Role, isSelf = false) =>
    mayChangeRole({ actorRole, targetRole, newRole, isSelf });
  assert.equal(change('member', 'viewer', 'viewer'), 'insufficient_role');
  assert.equal(change('admin', 'admin', 'viewer', true), 'own_role_not_changeable');
  assert.equal(change('owner', 'admin', 'owner'), 'owner_not_assignable');
  assert.equal(change('admin', 'owner', 'viewer'), 'owner_not_removable');
  assert.equal(change('admin', 'admin', 'viewer'), 'admin_not_manageable');
});

test('of the 16 removals the 3 of the owner and the 2 of an admin are allowed', () => {
  const allowed = roles.flatMap((actor) =>
    roles.filter((target) => mayRemove(actor, target) === 'yes').map((target) => `${actor} ${target}`),
  );
  assert.deepEqual(allowed, ['admin viewer', 'admin member', 'owner viewer', 'owner member', 'owner admin']);
});

test('the owner and admins invite up to admin, nobody an owner', () => {
  const allowed = roles.flatMap((actor) =>
    roles.filter((role) => mayInvite(actor, role) === 'yes').map((role) => `${actor} ${role}`),
  );
  assert.deepEqual(
    allowed,
    ['admin', 'owner'].flatMap((actor) => grantable.map((role) => `${actor} ${role}`)),
  );
  assert.equal(mayInvite('owner', 'owner'), 'owner_not_assignable');
});
