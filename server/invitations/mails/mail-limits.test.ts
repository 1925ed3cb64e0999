import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { refused, startTeamProduct, type Person } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addToTeam } from '#test/support/team/people.ts';
import { ageRows, deleteRows, updateRows, storedText } from '#test/support/database/rows.ts';

const mailServer = await startMailServer();
const { database, newTeam, person } = await startTeamProduct({
  SMTP_URL: mailServer.url,
  INVITATION_MAILS_PER_DAY: '12',
  INTEGRATIONS_PER_PERSON: '6',
});

const create = async (who: Person, label: string): Promise<string> => {
  const { status, body } = await who.call('POST', '/api/integrations', { label });
  assert.equal(status, 201);
  return `/api/integrations/${String(body['integrationId'])}/invitations`;
};
const invitation = (email: string) => ({ email, role: 'viewer' });

test('a stranger with many integrations mails no more invitations than one person may', async () => {
  const mallory = await person('mallory');
  const before = mailServer.mails.length;
  const codes = [];
  for (let integration = 0; integration < 6; integration++) {
    const path = await create(mallory, `Win at https://evil.example/${integration}`);
    for (let mail = 0; mail < 4; mail++) {
      const email = `victim-${integration}-${mail}@example.com`;
      const { status, body } = await mallory.call('POST', path, invitation(email));
      codes.push(status === 201 ? 'mailed' : body.code);
    }
  }
  assert.deepEqual(codes, [
    ...Array.from({ length: 12 }, () => 'mailed'),
    ...Array.from({ length: 12 }, () => 'sender_mail_limit'),
  ]);
  refused(
    await mallory.call('POST', '/api/integrations', { label: 'One more' }),
    403,
    'integration_limit_reached',
  );
  await waitUntil('the mails to arrive', () => mailServer.mails.length === before + 12);
  for (const { source } of mailServer.mails.slice(before))
    assert.doesNotMatch(source.replaceAll('=\r\n', ''), /evil|text\/html/);
});

test('a resend counts, and tells when the next one may be sent', async () => {
  const ann = await person('ann');
  const path = await create(ann, 'Platform');
  const { body } = await ann.call('POST', path, invitation('bob@example.com'));
  const resend = () => ann.call('POST', `${path}/${String(body['invitationId'])}/resend`);
  for (let count = 0; count < 4; count++) assert.equal((await resend()).status, 204);
  const more = await resend();
  refused(more, 429, 'recipient_mail_limit');
  const waitSeconds = Number(more.headers.get('retry-after'));
  assert.ok(waitSeconds > 86_000 && waitSeconds <= 86_400, String(waitSeconds));
  await ageRows(database, 'mail_counts.began_at', '25 hours');
  for (let count = 0; count < 5; count++) assert.equal((await resend()).status, 204);
  refused(await resend(), 429, 'recipient_mail_limit');
});

test('one address gets five invitations a day from everybody together, however it is written', async () => {
  const writings = [
    'carl@example.com',
    'CARL@Example.com',
    'carl+a@example.com',
    'carl+b@example.com',
    'Carl+c+d@EXAMPLE.COM',
    'carl@EXAMPLE.com',
  ];
  const statuses = [];
  for (const [index, email] of writings.entries()) {
    const inviter = await person(`inviter-${index}`);
    const { status, body } = await inviter.call('POST', await create(inviter, 'Team'), invitation(email));
    statuses.push(status === 201 ? 201 : body.code);
  }
  assert.deepEqual(statuses, [201, 201, 201, 201, 201, 'recipient_mail_limit']);
  assert.doesNotMatch(await storedText(database, 'mail_counts'), /carl/);
});

test('beyond what the whole service mails a day, a link can still be made', async () => {
  const gus = await person('gus');
  await deleteRows(database, 'mail_counts');
  await gus.call('POST', await create(gus, 'Team'), invitation('hal@example.com'));
  // Its own, the address's and that of all together.
  await updateRows(database, 'mail_counts', { mails: 1000 });
  const dora = await person('dora');
  const path = await create(dora, 'Team');
  refused(await dora.call('POST', path, invitation('eve@example.com')), 429, 'deployment_mail_limit');
  assert.equal((await dora.call('POST', path, { email: null, role: 'viewer' })).status, 201);
  await deleteRows(database, 'mail_counts');
});

test('an ordinary name is in the subject and in the text, attributed to the person who gave it', async () => {
  const before = mailServer.mails.length;
  const team = await newTeam('CI/CD tools');
  await team.admin.call('POST', team.path('/invitations'), invitation('fay@example.com'));
  await waitUntil('the mail to arrive', () => mailServer.mails.length > before);
  const { source = '' } = mailServer.mails.at(-1) ?? {};
  assert.match(source, /^Subject: .*CI\/CD/m);
  assert.match(source, /people who manage it call it/);
});

test('nobody is given more integrations than they may own', async () => {
  const greta = await person('greta');
  for (let count = 0; count < 6; count++) await create(greta, `Of Greta ${count}`);
  const team = await newTeam('Given away');
  await addToTeam(database, team.integrationId, greta.userId, 'member');
  const given = await team.owner.call('POST', team.path('/transfer-ownership'), { userId: greta.userId });
  refused(given, 403, 'integration_limit_reached');
  assert.equal((await team.owner.call('GET', team.path())).body['role'], 'owner');
});
