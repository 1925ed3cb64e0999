import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { CreatedInvitation } from '#contract/members/invitations.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { accept, invite, endInvitation } from '#test/support/team/invite.ts';
import { refused, startTeamProduct, type Answer } from '#test/support/team/team.ts';
import { membershipOf } from '#test/support/team/members.ts';
import { Compile } from 'typebox/compile';
import { storedText } from '#test/support/database/rows.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Forgewatch <fw@example.org>',
});
const { database, entries, newTeam, person, publicUrl, setRole } = product;

/** As text of the mail, without the transport's line breaks. */
const mailsTo = (address: string): string[] =>
  mailServer.mails
    .filter(({ to }) => to.includes(address))
    .map(({ source }) => source.replace(/=\r\n/g, '').replaceAll('=3D', '='));

test('an invitation is mailed, and the person with its address joins once with its role', async () => {
  const team = await newTeam('Shop <b>');
  const ann = await person('ann');
  const created = await invite(team, 'Ann@Example.com', 'admin');
  const { token, ...body } = created;
  assert.ok(Compile(CreatedInvitation).Check(body));
  assert.equal(created.acceptUrl, `${publicUrl}/invitations/accept#token=${token}`);
  assert.equal(Buffer.from(token, 'base64url').length, 32);
  assert.equal(created.mail, 'sent');
  const [mail = ''] = mailsTo('Ann@example.com');
  assert.match(mail, /From: Forgewatch <fw@example.org>/);
  assert.ok(mail.includes(created.acceptUrl));
  assert.match(mail, /call it .*Shop <b>/);

  const joined = await accept(ann, token);
  assert.deepEqual([joined.status, joined.body], [200, { integrationId: team.integrationId, role: 'admin' }]);
  assert.deepEqual(await membershipOf(team, ann), { role: 'admin', source: 'invitation' });
  refused(await accept(ann, token), 410, 'invitation_ended');
  assert.deepEqual((await entries(team.integrationId)).slice(1), [
    {
      type: 'invitation.created',
      title: 'A***@Example.com was invited as admin',
      actorId: team.admin.userId,
    },
    { type: 'member.joined', title: 'ann joined as admin, invited by admin', actorId: ann.userId },
  ]);
});

test('a token is nowhere but in the link: not in the database, the log or the event log', async () => {
  const team = await newTeam();
  const { token, invitationId } = await invite(team, 'someone@example.com');
  const resent = await team.admin.call('POST', team.path(`/invitations/${invitationId}/resend`));
  const renewed = resent.headers.get('x-accept-url')?.split('#token=')[1] ?? '';
  assert.equal(renewed.length, 43);
  const stored = await storedText(database, 'invitations', { invitation_id: invitationId });
  assert.ok(stored.includes(createHash('sha256').update(renewed).digest().toString('latin1')));
  const log = product.logged() + JSON.stringify(await entries(team.integrationId));
  for (const secret of [token, renewed]) {
    assert.equal(log.includes(secret), false);
    assert.equal(stored.includes(secret), false);
  }
});

test('for another address, an unverified one or an unknown token there is no invitation, in the same words', async () => {
  const team = await newTeam();
  const { token } = await invite(team, 'ann@example.com');
  const ben = await person('ben');
  const [foreign, unknown, odd] = [
    await accept(ben, token),
    await accept(ben, 'A'.repeat(43)),
    await accept(ben, 'no token'),
  ];
  refused(foreign, 404, 'not_found');
  const same = ({ body }: Answer) => ({ ...body, requestId: undefined });
  assert.deepEqual(same(foreign), same(unknown));
  assert.deepEqual(same(foreign), same(odd));
  refused(await accept(ben, '\u0000'), 400, 'invalid_request');
  assert.equal(await membershipOf(team, ben), undefined);
  assert.equal((await ben.call('POST', '/api/invitations/accept', { token, role: 'owner' })).status, 400);
});

test('a link may be used by anybody, once, and gives little', async () => {
  const team = await newTeam();
  const { token, mail, email } = await invite(team, null, 'viewer');
  assert.deepEqual([mail, email], ['none', null]);
  assert.equal((await accept(await person('ben'), token)).status, 200);
  refused(await accept(await person('ann'), token), 410, 'invitation_ended');
  for (const role of ['admin', 'owner']) {
    const { status, body } = await team.owner.call('POST', team.path('/invitations'), { email: null, role });
    assert.deepEqual(
      [status, body.code],
      role === 'owner' ? [403, 'owner_not_assignable'] : [400, 'invalid_request'],
    );
  }
});

test('after a resend the old link is dead and the new one works', async () => {
  const team = await newTeam();
  const dan = await person('dan');
  const { token, invitationId } = await invite(team, 'dan@example.com');
  await endInvitation(database, invitationId);
  refused(await accept(dan, token), 410, 'invitation_ended');
  const resent = await team.owner.call('POST', team.path(`/invitations/${invitationId}/resend`));
  assert.deepEqual([resent.status, resent.headers.get('x-mail-outcome')], [204, 'sent']);
  const link = resent.headers.get('x-accept-url') ?? '';
  assert.ok(mailsTo('dan@example.com')[1]?.includes(link));
  assert.deepEqual((await entries(team.integrationId)).at(-1), {
    type: 'invitation.resent',
    title: 'd***@example.com was invited again as member',
    actorId: team.owner.userId,
  });
  refused(await accept(dan, token), 404, 'not_found');
  assert.equal((await accept(dan, link.split('#token=')[1] ?? '')).status, 200);
  refused(
    await team.owner.call('POST', team.path(`/invitations/${invitationId}/resend`)),
    410,
    'invitation_ended',
  );
});

test('a revoked invitation has ended', async () => {
  const team = await newTeam();
  const { token, invitationId } = await invite(team, 'eve@example.com');
  const path = team.path(`/invitations/${invitationId}`);
  assert.equal((await team.admin.call('DELETE', path)).status, 204);
  refused(await team.admin.call('DELETE', path), 410, 'invitation_ended');
  refused(await accept(await person('eve'), token), 410, 'invitation_ended');
  assert.deepEqual((await entries(team.integrationId)).at(-1), {
    type: 'invitation.revoked',
    title: 'e***@example.com is invited no more as member',
    actorId: team.admin.userId,
  });
  const gone = team.path('/invitations/11111111-1111-4111-8111-111111111111');
  refused(await team.admin.call('DELETE', gone), 404, 'not_found');
  refused(await team.admin.call('POST', `${gone}/resend`), 404, 'not_found');
});

test('an invitation ends when its admin is demoted or removed, and stays ended', async () => {
  const fay = await person('fay');
  for (const end of ['demote', 'remove'] as const) {
    const team = await newTeam();
    const path = team.path(`/members/${team.admin.userId}`);
    const { token } = await invite(team, 'fay@example.com');
    const other = await invite(team, 'gus@example.com', 'member', team.owner);
    if (end === 'demote') await team.owner.call('PATCH', path, { role: 'member' });
    else await team.owner.call('DELETE', path);
    refused(await accept(fay, token), 410, 'invitation_ended');
    await setRole(team.integrationId, team.admin, 'admin');
    refused(await accept(fay, token), 410, 'invitation_ended');
    assert.equal((await accept(await person('gus'), other.token)).status, 200);
  }
});

test('a resent invitation depends on the role of its last sender', async () => {
  const team = await newTeam();
  const { invitationId } = await invite(team, 'ida@example.com');
  const resent = await team.owner.call('POST', team.path(`/invitations/${invitationId}/resend`));
  await team.owner.call('DELETE', team.path(`/members/${team.admin.userId}`));
  const token = resent.headers.get('x-accept-url')?.split('#token=')[1] ?? '';
  assert.equal((await accept(await person('ida'), token)).status, 200);
});

test('a member stays what they are, and leaves the link to others', async () => {
  const team = await newTeam();
  const { token } = await invite(team, null, 'member');
  refused(await accept(team.viewer, token), 409, 'already_member');
  refused(await accept(team.owner, token), 409, 'already_member');
  assert.equal((await membershipOf(team, team.viewer))?.role, 'viewer');
  assert.equal((await accept(await person('hal'), token)).status, 200);
  const again = await team.admin.call('POST', team.path('/invitations'), {
    email: 'VIEWER@example.com',
    role: 'admin',
  });
  refused(again, 409, 'already_member');
});
