import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OfferedInvitationPage } from '#contract/members/invitations.ts';
import { accept, invite, endInvitation } from '#test/support/team/invite.ts';
import { refused, startTeamProduct, type Person } from '#test/support/team/team.ts';
import { Compile } from 'typebox/compile';
import type { AppError } from '#platform/runtime/app-error.ts';
import { acceptInvitation, acceptOffer } from './accept-invitation.ts';
import { readOffers } from './read-offers.ts';
import { deleteRows, updateRows } from '#test/support/database/rows.ts';

const product = await startTeamProduct();
const { database, entries, newTeam, person, setRole } = product;

async function offersTo(who: Person): Promise<OfferedInvitationPage['items']> {
  const { body } = await who.call('GET', '/api/invitations');
  assert.ok(Compile(OfferedInvitationPage).Check(body), JSON.stringify(body));
  return body.items as OfferedInvitationPage['items'];
}

const acceptById = (who: Person, invitationId: string) =>
  who.call('POST', `/api/invitations/${invitationId}/accept`);

test('a person with the invited address sees its invitation and joins once without the link', async () => {
  const team = await newTeam('Shop');
  const ann = await person('ann');
  const ben = await person('ben');
  const { invitationId, token, createdAt, expiresAt } = await invite(team, 'Ann@Example.com', 'admin');
  const offer = { invitationId, label: 'Shop', role: 'admin', inviterName: 'admin', createdAt, expiresAt };
  assert.deepEqual(await offersTo(ann), [offer]);
  assert.deepEqual(await offersTo(ben), []);

  refused(await acceptById(ben, invitationId), 404, 'not_found');
  const answers = await Promise.all(Array.from({ length: 5 }, () => acceptById(ann, invitationId)));
  const joined = answers.filter(({ status }) => status === 200);
  assert.equal(joined.length, 1);
  assert.deepEqual(joined[0]?.body, { integrationId: team.integrationId, role: 'admin' });
  assert.equal((await ann.call('GET', team.path())).body['role'], 'admin');
  assert.deepEqual(await offersTo(ann), []);
  refused(await acceptById(ann, invitationId), 404, 'not_found');
  refused(await accept(ann, token), 410, 'invitation_ended');
  assert.match(
    (await entries(team.integrationId)).at(-1)?.title ?? '',
    /ann joined as admin, invited by admin/,
  );
});

test('newest first; what could not be accepted is not offered', async () => {
  const eve = await person('eve');
  const [older, newer, revoked, expired, demoted, own, link] = [
    await newTeam('Older'),
    await newTeam('Newer'),
    await newTeam('Revoked'),
    await newTeam('Expired'),
    await newTeam('Demoted'),
    await newTeam('Own'),
    await newTeam('Link'),
  ];
  for (const team of [older, newer]) await invite(team, 'eve@example.com');
  const ended = await invite(revoked, 'eve@example.com');
  await revoked.admin.call('DELETE', revoked.path(`/invitations/${ended.invitationId}`));
  const late = await invite(expired, 'eve@example.com');
  await endInvitation(database, late.invitationId);
  const powerless = await invite(demoted, 'eve@example.com', 'admin');
  // As if the demotion had not revoked them.
  const inviter = { integration_id: demoted.integrationId, user_id: demoted.admin.userId };
  await updateRows(database, 'memberships', { role: 'member' }, inviter);
  // One address gets only so many invitations a day.
  await deleteRows(database, 'mail_counts');
  await invite(own, 'eve@example.com');
  await setRole(own.integrationId, eve, 'viewer');
  await invite(link, null);

  assert.deepEqual(
    (await offersTo(eve)).map(({ label }) => label),
    ['Newer', 'Older'],
  );
  refused(await acceptById(eve, late.invitationId), 410, 'invitation_ended');
  refused(await acceptById(eve, ended.invitationId), 404, 'not_found');
  refused(await acceptById(eve, powerless.invitationId), 410, 'invitation_ended');
});

test('an unverified address is offered no invitation', async () => {
  const team = await newTeam();
  const { invitationId } = await invite(team, 'fay@example.com');
  const { userId } = await person('gus');
  for (const doubtful of [
    { userId, email: 'fay@example.com', isEmailVerified: false },
    { userId, email: null, isEmailVerified: true },
    { userId, email: '', isEmailVerified: true },
  ]) {
    assert.deepEqual(await readOffers(database.api, doubtful), []);
    await assert.rejects(acceptOffer(database.api, doubtful, invitationId), { code: 'not_found' });
  }
  assert.equal(
    (await readOffers(database.api, { userId, email: 'FAY@example.com', isEmailVerified: true })).length,
    1,
  );
});

test('a removed member joins by a later invitation only', async () => {
  const team = await newTeam();
  const jon = await person('jon');
  const byMail = await invite(team, 'jon@example.com', 'admin');
  const link = await invite(team, null, 'viewer');
  // As from the organization of the forge, so that both are open still.
  await setRole(team.integrationId, jon, 'viewer');
  assert.equal((await team.admin.call('DELETE', team.path(`/members/${jon.userId}`))).status, 204);
  assert.deepEqual(await offersTo(jon), []);
  refused(await acceptById(jon, byMail.invitationId), 410, 'invitation_ended');
  for (const { token } of [byMail, link]) refused(await accept(jon, token), 410, 'invitation_ended');
  refused(await jon.call('GET', team.path()), 403, 'insufficient_role');

  assert.equal((await accept(await person('kit'), link.token)).status, 200);
  await team.admin.call('POST', team.path(`/invitations/${byMail.invitationId}/resend`));
  assert.deepEqual(
    (await offersTo(jon)).map(({ role }) => role),
    ['admin'],
  );
  assert.equal((await acceptById(jon, byMail.invitationId)).status, 200);
});

test('an unverified address learns what to request instead, and nothing about the invitation', async () => {
  const team = await newTeam();
  const { token } = await invite(team, 'fay@example.com');
  const { userId } = await person('gus');
  const details: (string | undefined)[] = [];
  for (const isEmailVerified of [false, true]) {
    const person = {
      userId,
      email: isEmailVerified ? 'gus@example.com' : 'fay@example.com',
      isEmailVerified,
    };
    for (const each of [token, 'A'.repeat(43)])
      await assert.rejects(acceptInvitation(database.api, person, each), (error: AppError) => {
        details.push(error.detail);
        return error.code === 'not_found';
      });
  }
  const [unverified, unknown, verified] = details;
  assert.equal(unverified, unknown);
  assert.notEqual(unverified, verified);
  assert.match(unverified ?? '', /by a link/);
});

test('the database shows an address its own open invitations and nothing else', async () => {
  const team = await newTeam();
  const mine = await invite(team, `o'hara@example.com`);
  await invite(team, 'ivy@example.com');
  await invite(team, null);
  const seen = await database.api.withScope({ verifiedEmail: `O'Hara@example.com` }, async (tx) => {
    const { rows } = await tx.query<{ invitation_id: string }>('select invitation_id from invitations');
    const others = await tx.query('select from integrations union all select from memberships');
    return [rows.map((row) => row.invitation_id), others.rowCount];
  });
  assert.deepEqual(seen, [[mine.invitationId], 0]);
});
