import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OfferedInvitation } from '#contract/members/invitations.ts';
import { accept, invite, preview } from '#test/support/team/invite.ts';
import { refused, startTeamProduct, type Answer, type Team } from '#test/support/team/team.ts';
import { Compile } from 'typebox/compile';
import { readOfferOfLink } from './read-offers.ts';

const { database, logged, newTeam, person, setRole } = await startTeamProduct();

const withoutId = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: undefined } });
const memberCount = async (team: Team): Promise<number> =>
  (await team.admin.call('GET', team.path('/members'))).body.items.length;

test('a link names the integration, the inviter and the role before anybody accepts', async () => {
  const team = await newTeam('Shop');
  const [ann, before] = [await person('ann'), await memberCount(team)];
  const { invitationId, token, createdAt, expiresAt } = await invite(team, 'Ann@Example.com', 'admin');
  for (let look = 0; look < 2; look++) {
    const { status, body } = await preview(ann, token);
    assert.equal(status, 200);
    assert.ok(Compile(OfferedInvitation).Check(body));
    assert.deepEqual(body, {
      invitationId,
      label: 'Shop',
      role: 'admin',
      inviterName: 'admin',
      createdAt,
      expiresAt,
    });
  }
  assert.equal(await memberCount(team), before, 'looking changes nothing');
  assert.equal((await accept(ann, token)).status, 200);
  assert.equal(logged().includes(token), false);
});

test('without the right link and address there is nothing to see, in the same words', async () => {
  const team = await newTeam('Secret project');
  const { token } = await invite(team, 'ann@example.com');
  const ben = await person('ben');
  const [foreign, unknown, odd] = [
    await preview(ben, token),
    await preview(ben, 'A'.repeat(43)),
    await preview(ben, 'no token'),
  ];
  refused(foreign, 404, 'not_found');
  assert.deepEqual(withoutId(foreign), withoutId(unknown));
  assert.deepEqual(withoutId(foreign), withoutId(odd));
  assert.doesNotMatch(JSON.stringify(foreign.body), /Secret|admin/);
  const doubtful = { userId: ben.userId, email: 'ann@example.com', isEmailVerified: false };
  await assert.rejects(readOfferOfLink(database.api, doubtful, token), { code: 'not_found' });
});

test('a link that cannot be accepted says so at once, as accepting it would', async () => {
  const team = await newTeam();
  const ann = await person('ann');
  const link = await invite(team, null, 'viewer');
  refused(await preview(team.viewer, link.token), 409, 'already_member');
  assert.equal((await preview(ann, link.token)).body['role'], 'viewer');

  const later = await invite(team, null, 'member');
  await setRole(team.integrationId, ann, 'viewer');
  await team.admin.call('DELETE', team.path(`/members/${ann.userId}`));
  refused(await preview(ann, later.token), 410, 'invitation_ended');

  const ben = await person('ben');
  await team.admin.call('DELETE', team.path(`/invitations/${link.invitationId}`));
  refused(await preview(ben, link.token), 410, 'invitation_ended');
  const resent = await team.admin.call('POST', team.path(`/invitations/${later.invitationId}/resend`));
  refused(await preview(ben, later.token), 404, 'not_found');
  const renewed = resent.headers.get('x-accept-url')?.split('#token=')[1] ?? '';
  assert.equal((await preview(ben, renewed)).status, 200);
});
