import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvitationPage } from '#contract/members/invitations.ts';
import { accept, invite, endInvitation } from '#test/support/team/invite.ts';
import { refused, startTeamProduct } from '#test/support/team/team.ts';
import { Compile } from 'typebox/compile';
import { ageRows } from '#test/support/database/rows.ts';

const { database, newTeam, person } = await startTeamProduct();

test('one open invitation for each address', async () => {
  const team = await newTeam();
  const { invitationId } = await invite(team, 'ian@example.com');
  const again = { email: 'IAN@example.com', role: 'viewer' };
  refused(await team.admin.call('POST', team.path('/invitations'), again), 409, 'conflict');
  await endInvitation(database, invitationId);
  assert.equal((await team.admin.call('POST', team.path('/invitations'), again)).status, 201);
});

test('everybody sees the open invitations, only those who manage them whole addresses, nobody a token', async () => {
  const team = await newTeam();
  const first = await invite(team, 'jo@example.com', 'viewer');
  await invite(team, null, 'member');
  const revoked = await invite(team, 'kim@example.com', 'viewer');
  await team.admin.call('DELETE', team.path(`/invitations/${revoked.invitationId}`));
  await endInvitation(database, first.invitationId);
  for (const [who, email] of [
    [team.viewer, 'j***@example.com'],
    [team.admin, 'jo@example.com'],
  ] as const) {
    const { status, body } = await who.call('GET', team.path('/invitations'));
    assert.equal(status, 200);
    assert.ok(Compile(InvitationPage).Check(body));
    assert.deepEqual(
      body.items.map((each) => [each['email'], each['role'], each['status']]),
      [
        [null, 'member', 'pending'],
        [email, 'viewer', 'expired'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(body), /token|acceptUrl|hash/i);
  }
  const all = await team.admin.call('GET', team.path('/invitations?status=all&limit=1'));
  assert.deepEqual([all.body.items[0]?.['status'], typeof all.body.nextCursor], ['revoked', 'string']);
  const rest = await team.admin.call(
    'GET',
    team.path(`/invitations?status=all&limit=2&cursor=${all.body.nextCursor}`),
  );
  assert.deepEqual([rest.body.items.length, rest.body.nextCursor], [2, null]);
});

test('addresses that mean two things are refused', async () => {
  const team = await newTeam();
  for (const email of [
    'a@b.example, c@d.example',
    '"a@evil.example x"@b.example',
    'a@b.example\r\nBcc: c@d.example',
    'Ann <a@b.example>',
    'a b@c.example',
    'nobody',
    '',
    undefined,
  ])
    refused(
      await team.admin.call('POST', team.path('/invitations'), { email, role: 'viewer' }),
      400,
      'invalid_request',
    );
});

test('an integration sends at most twenty invitations and resends an hour', async () => {
  const team = await newTeam();
  for (let count = 0; count < 19; count++) await invite(team, null, 'viewer');
  const { invitationId } = await invite(team, 'lou@example.com', 'viewer', team.owner);
  const more = await team.owner.call('POST', team.path('/invitations'), { email: null, role: 'viewer' });
  refused(more, 429, 'too_many_requests');
  const waitSeconds = Number(more.headers.get('retry-after'));
  assert.ok(waitSeconds > 3500 && waitSeconds <= 3600, String(waitSeconds));
  const resent = await team.admin.call('POST', team.path(`/invitations/${invitationId}/resend`));
  refused(resent, 429, 'too_many_requests');
  const other = await newTeam();
  await invite(other, null, 'viewer');
  await ageRows(database, 'invitation_sends.sent_at', '61 minutes', { integration_id: team.integrationId });
  await invite(team, null, 'viewer');
});

test('ten attempts to accept a minute are enough for one person', async () => {
  const mia = await person('mia');
  const statuses = [];
  for (let count = 0; count < 11; count++) statuses.push((await accept(mia, `guess-${count}`)).status);
  assert.deepEqual([new Set(statuses.slice(0, 10)), statuses[10]], [new Set([404]), 429]);
});

test('a member of another integration can be invited', async () => {
  const [here, there] = [await newTeam('Here'), await newTeam('There')];
  const roy = await person('roy');
  assert.equal((await accept(roy, (await invite(there, 'roy@example.com')).token)).status, 200);
  assert.equal((await accept(roy, (await invite(here, 'roy@example.com')).token)).status, 200);
});
