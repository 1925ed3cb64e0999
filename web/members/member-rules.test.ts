import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roles } from '#contract/members/roles.ts';
import { mayChangeRole, mayRemove } from '#server/members/rules.ts';
import { assignableRoles, changeRoleReason, removeReason, roleTexts } from './member-rules.ts';

const pairs = roles.flatMap((actorRole) => roles.map((targetRole) => ({ actorRole, targetRole })));

test('the page offers a role change exactly where the server permits it', () => {
  for (const { actorRole, targetRole } of pairs)
    for (const isSelf of actorRole === targetRole ? [true, false] : [false])
      for (const newRole of assignableRoles) {
        const isAllowed = mayChangeRole({ actorRole, targetRole, newRole, isSelf }) === 'yes';
        const reason = changeRoleReason({ actorRole, targetRole, isSelf });
        assert.equal(reason === undefined, isAllowed, `${actorRole} changes ${targetRole} to ${newRole}`);
      }
});

test('the page offers a removal exactly where the server permits it', () => {
  for (const { actorRole, targetRole } of pairs) {
    const reason = removeReason({ actorRole, targetRole, isSelf: false });
    assert.equal(
      reason === undefined,
      mayRemove(actorRole, targetRole) === 'yes',
      `${actorRole} ${targetRole}`,
    );
  }
});

test('nobody removes themselves in the list of members', () => {
  for (const role of roles)
    assert.match(removeReason({ actorRole: role, targetRole: role, isSelf: true }) ?? '', /leave/i);
});

test('ownership cannot be assigned, and every other role can', () => {
  assert.deepEqual(
    [...assignableRoles],
    roles.filter((role) => role !== 'owner'),
  );
  assert.deepEqual(Object.keys(roleTexts).sort(), [...roles].sort());
});
