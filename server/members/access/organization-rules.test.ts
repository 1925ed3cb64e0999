import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formerToForget,
  membersToAdd,
  membersToRemove,
  pendingToAdd,
  pendingToDelete,
  type OrganizationAccount,
} from './organization-rules.ts';

const colleague: OrganizationAccount = {
  forgeId: '7',
  isInOrganization: true,
  userId: 'ann',
  name: 'Ann',
  role: null,
  source: null,
  isFormer: false,
  isPending: false,
};
const synced = { role: 'member', source: 'org_sync' } as const;

/** What a sync decides about one account. */
function decisions(account: Partial<OrganizationAccount>): string[] {
  const accounts = [{ ...colleague, ...account }];
  const steps = { membersToAdd, membersToRemove, pendingToAdd, pendingToDelete };
  return Object.entries(steps).flatMap(([name, decide]) => (decide(accounts).length > 0 ? [name] : []));
}

const cases: [string, Partial<OrganizationAccount>, string[]][] = [
  ['a person in the organization joins', {}, ['membersToAdd']],
  ['a person who has not signed in is awaited', { userId: null }, ['pendingToAdd']],
  ['an awaited person is not awaited twice', { userId: null, isPending: true }, []],
  ['a former member does not join', { isFormer: true }, []],
  ['a member stays as they are', { role: 'viewer', source: 'manual' }, []],
  ['a synced member who left leaves', { ...synced, isInOrganization: false }, ['membersToRemove']],
  ['a synced member who was removed leaves', { ...synced, isFormer: true }, ['membersToRemove']],
  ['the owner stays', { role: 'owner', source: 'org_sync', isInOrganization: false }, []],
  ['a role given by hand stays', { role: 'admin', source: 'manual', isInOrganization: false }, []],
  ['an invited member stays', { role: 'viewer', source: 'invitation', isInOrganization: false }, []],
  [
    'a person who left is no longer awaited',
    { userId: null, isPending: true, isInOrganization: false },
    ['pendingToDelete'],
  ],
];

for (const [name, account, expected] of cases) {
  test(`organization sync: ${name}`, () => {
    assert.deepEqual(decisions(account), expected);
  });
}

test('a former member is forgotten only after they left every linked organization', () => {
  const former = { ...colleague, isFormer: true };
  assert.deepEqual(formerToForget([former]), []);
  assert.deepEqual(formerToForget([{ ...former, isInOrganization: false }]), ['ann']);
  assert.deepEqual(formerToForget([{ ...colleague, isInOrganization: false }]), []);
});

const membership = fc.oneof(
  fc.constant({ role: null, source: null }),
  fc.record({
    role: fc.constantFrom('viewer' as const, 'member' as const, 'admin' as const, 'owner' as const),
    source: fc.constantFrom('manual' as const, 'invitation' as const, 'org_sync' as const),
  }),
);
const facts = fc.record({
  isInOrganization: fc.boolean(),
  hasSignedIn: fc.boolean(),
  membership,
  isFormer: fc.boolean(),
  isPending: fc.boolean(),
});
const accountsOf = fc.array(facts).map((list) =>
  list.map(
    ({ hasSignedIn, membership: { role, source }, isFormer, ...rest }, index): OrganizationAccount => ({
      ...rest,
      forgeId: String(index),
      name: null,
      userId: hasSignedIn ? `user-${index}` : null,
      role: hasSignedIn ? role : null,
      source: hasSignedIn ? source : null,
      isFormer: hasSignedIn && isFormer,
    }),
  ),
);

function apply(accounts: readonly OrganizationAccount[]): OrganizationAccount[] {
  const [added, removed] = [new Set(membersToAdd(accounts)), new Set(membersToRemove(accounts))];
  const [awaited, dropped] = [new Set(pendingToAdd(accounts)), new Set(pendingToDelete(accounts))];
  return accounts.map((account) => {
    const userId = account.userId ?? '';
    return {
      ...account,
      ...(added.has(userId) ? synced : {}),
      ...(removed.has(userId) ? { role: null, source: null } : {}),
      isPending: (account.isPending || awaited.has(account.forgeId)) && !dropped.has(account.forgeId),
    };
  });
}

test('after a sync the members match the organization, and another sync changes nothing', () => {
  fc.assert(
    fc.property(accountsOf, (before) => {
      const after = apply(before);
      assert.deepEqual(apply(after), after);
      for (const [index, account] of after.entries()) {
        const former = before[index]!;
        const isChosen = former.role === 'owner' || (former.role !== null && former.source !== 'org_sync');
        if (isChosen) assert.equal(account.role, former.role);
        else if (account.userId !== null)
          assert.equal(account.role !== null, account.isInOrganization && !account.isFormer);
        else assert.equal(account.isPending, account.isInOrganization);
      }
    }),
  );
});
