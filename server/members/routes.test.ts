import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberPage } from '#contract/members/members.ts';
import { roles } from '#contract/members/roles.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { membersOf } from '#test/support/team/members.ts';
import { Compile } from 'typebox/compile';
import { mayChangeRole, mayRemove } from './rules.ts';
import { updateRows } from '#test/support/database/rows.ts';

const product = await startTeamProduct();
const { entries, newTeam, person, setRole, database } = product;

async function rolesOf(team: Pick<Team, 'owner' | 'path'>): Promise<Record<string, string>> {
  return Object.fromEntries((await membersOf(team)).map(({ user, role }) => [user.forgeLogin, role]));
}

test('everybody sees the members, only those who manage them their addresses', async () => {
  const { viewer, member, admin, owner, path } = await newTeam();
  for (const each of [viewer, member, admin, owner]) {
    const { status, body } = await each.call('GET', path('/members'));
    assert.equal(status, 200);
    assert.ok(Compile(MemberPage).Check(body));
    const { items } = body as unknown as MemberPage;
    assert.deepEqual(
      items.map(({ role, user }) => [role, user.name]),
      [owner, viewer, member, admin].map(({ login }) => [login, login]),
    );
    const seesAddresses = each === admin || each === owner;
    assert.deepEqual(
      items.map(({ user }) => user.email),
      items.map(({ user }) => (seesAddresses ? `${user.name}@example.com` : null)),
    );
  }
});

test('members come in pages, each once', async () => {
  const { viewer, path } = await newTeam();
  const seen: unknown[] = [];
  let cursor: string | null = '';
  do {
    const { body } = await viewer.call('GET', path(`/members?limit=1${cursor && `&cursor=${cursor}`}`));
    seen.push(...(body as unknown as MemberPage).items.map(({ role }) => role));
    cursor = body.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ['owner', 'viewer', 'member', 'admin']);
});

test('an admin who wants another role is sent to the owner, who alone manages admins', async () => {
  const { admin, path } = await newTeam();
  const answer = await admin.call('PATCH', path(`/members/${admin.userId}`), { role: 'viewer' });
  refused(answer, 403, 'own_role_not_changeable');
  assert.match(String(answer.body['detail']), /^Ask the owner/);
});

test('each of the 64 changes of a role does what the rule says, and leaves the rest as it was', async () => {
  const team = await newTeam();
  const target = await person('target');
  for (const actorRole of roles) {
    for (const targetRole of roles) {
      for (const newRole of roles) {
        // The one owner is the target where the target is an owner.
        const affected = targetRole === 'owner' ? team.owner : target;
        if (affected === target) await setRole(team.integrationId, target, targetRole);
        const before = await rolesOf(team);
        const isSelf = affected === team[actorRole];
        const verdict = mayChangeRole({ actorRole, targetRole, newRole, isSelf });
        const name = `${actorRole} ${targetRole} ${newRole}`;
        const answer = await team[actorRole].call('PATCH', team.path(`/members/${affected.userId}`), {
          role: newRole,
        });
        if (verdict === 'yes') {
          assert.equal(answer.status, 204, name);
          assert.deepEqual(await rolesOf(team), { ...before, target: newRole }, name);
        } else {
          assert.equal(answer.status, 403, name);
          assert.equal(answer.body.code, verdict, name);
          assert.deepEqual(await rolesOf(team), before, name);
        }
      }
    }
  }
});

test('each of the 16 removals does what the rule says', async () => {
  const team = await newTeam();
  const target = await person('target');
  for (const actorRole of roles) {
    for (const targetRole of roles) {
      const affected = targetRole === 'owner' ? team.owner : target;
      if (affected === target) await setRole(team.integrationId, target, targetRole);
      const before = await rolesOf(team);
      const answer = await team[actorRole].call('DELETE', team.path(`/members/${affected.userId}`));
      const verdict = mayRemove(actorRole, targetRole);
      assert.equal(answer.body.code ?? 'yes', verdict, `${actorRole} ${targetRole}`);
      const { target: _, ...rest } = before;
      assert.deepEqual(await rolesOf(team), verdict === 'yes' ? rest : before);
    }
  }
});

test('a removed member is refused at the next request', async () => {
  const { admin, viewer, path } = await newTeam();
  assert.equal((await admin.call('DELETE', path(`/members/${viewer.userId}`))).status, 204);
  refused(await viewer.call('GET', path('/members')), 403, 'insufficient_role');
  refused(await admin.call('DELETE', path(`/members/${viewer.userId}`)), 404, 'not_found');
});

test('a role by hand is the last word: no synchronisation changes it any more', async () => {
  const { admin, viewer, path, integrationId } = await newTeam();
  const asViewer = { integration_id: integrationId, role: 'viewer' };
  await updateRows(database, 'memberships', { source: 'org_sync' }, asViewer);
  await admin.call('PATCH', path(`/members/${viewer.userId}`), { role: 'member' });
  const { items } = (await admin.call('GET', path('/members'))).body as unknown as MemberPage;
  assert.equal(items.find(({ user }) => user.userId === viewer.userId)?.source, 'manual');
});

test('bodies: unknown roles, lists of roles and fields that are none of theirs are refused', async () => {
  const { owner, viewer, path } = await newTeam();
  for (const body of [
    {},
    { role: 'root' },
    { role: 'viewer,admin' },
    { role: [] },
    { role: ['admin'] },
    { role: 'member', source: 'manual' },
    { role: 'member', integrationId: '11111111-1111-4111-8111-111111111111' },
  ])
    refused(await owner.call('PATCH', path(`/members/${viewer.userId}`), body), 400, 'invalid_request');
  refused(await owner.call('PATCH', path('/members/me'), { role: 'member' }), 400, 'invalid_request');
});

test('everybody but the owner can leave', async () => {
  const team = await newTeam();
  for (const each of [team.viewer, team.member, team.admin]) {
    assert.equal((await each.call('POST', team.path('/leave'))).status, 204);
    refused(await each.call('GET', team.path()), 403, 'insufficient_role');
  }
  refused(await team.owner.call('POST', team.path('/leave')), 403, 'owner_cannot_leave');
  assert.deepEqual(await rolesOf(team), { owner: 'owner' });
});

test('ownership goes to a member, and the owner stays as admin', async () => {
  const { owner, admin, viewer, path } = await newTeam();
  const outsider = await person('outsider');
  const transfer = (userId: string, by = owner) => by.call('POST', path('/transfer-ownership'), { userId });
  refused(await transfer(admin.userId, admin), 403, 'insufficient_role');
  refused(await transfer(outsider.userId), 404, 'not_found');
  refused(await transfer(owner.userId), 409, 'conflict');
  assert.equal((await transfer(viewer.userId)).status, 204);
  assert.deepEqual(await rolesOf({ owner, path }), {
    viewer: 'owner',
    member: 'member',
    admin: 'admin',
    owner: 'admin',
  });
  refused(await transfer(owner.userId), 403, 'insufficient_role');
});

test('the log names the actor, the action and the target', async () => {
  const team = await newTeam();
  const { owner, admin, member, viewer, path } = team;
  await admin.call('PATCH', path(`/members/${viewer.userId}`), { role: 'member' });
  await admin.call('PATCH', path(`/members/${viewer.userId}`), { role: 'member' });
  await admin.call('DELETE', path(`/members/${viewer.userId}`));
  await member.call('POST', path('/leave'));
  await owner.call('POST', path('/transfer-ownership'), { userId: admin.userId });
  assert.deepEqual((await entries(team.integrationId)).slice(1), [
    { type: 'member.role_changed', title: 'viewer is now member, was viewer', actorId: admin.userId },
    { type: 'member.removed', title: 'viewer was removed', actorId: admin.userId },
    { type: 'member.left', title: 'member left', actorId: member.userId },
    { type: 'integration.ownership_transferred', title: 'admin is now the owner', actorId: owner.userId },
  ]);
});

test('a member of another integration cannot be reached through one’s own, and nothing changes', async () => {
  const [mine, theirs] = [await newTeam('Mine'), await newTeam('Theirs')];
  const stranger = await person('stranger');
  await setRole(theirs.integrationId, stranger, 'member');
  const before = await rolesOf(theirs);
  const path = mine.path(`/members/${stranger.userId}`);
  refused(await mine.owner.call('PATCH', path, { role: 'admin' }), 404, 'not_found');
  refused(await mine.owner.call('DELETE', path), 404, 'not_found');
  refused(
    await mine.owner.call('POST', mine.path('/transfer-ownership'), { userId: stranger.userId }),
    404,
    'not_found',
  );
  assert.deepEqual(await rolesOf(theirs), before);
});
