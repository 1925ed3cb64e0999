import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { MailNotConfigured } from '#server/mail/send-mail.ts';
import { changeRole } from '#server/members/change-role.ts';
import { roleIn } from '#server/members/memberships-of-user.ts';
import { readMembers } from '#server/members/read-members.ts';
import { removeMembership } from '#server/members/access/memberships.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import pino from 'pino';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation } from './invite.ts';
import { addPerson, addToTeam, removeFromTeam } from '#test/support/team/people.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { outcome } from '#test/support/waiting/outcome.ts';

const database = await createTestDatabase();
const db = database.api;
const deps = {
  db,
  log: pino({ enabled: false }),
  publicUrl: 'https://fw.example',
  sendMail: () => Promise.reject(new MailNotConfigured()),
  mailLimits: { mailsPerPerson: 7, countKey: testMasterKey },
};
let integrationId: string;
const userIds: string[] = [];

const someone = (userId: string) => ({ userId, email: null, isEmailVerified: false });

const roleOf = (userId: string) => db.withScope({ integrationId }, (tx) => roleIn(tx, integrationId, userId));

async function newLink(actorId: string): Promise<string> {
  await deleteRows(database, 'invitation_sends');
  const body = { email: null, role: 'viewer' as const };
  const { acceptUrl } = await createInvitation(deps, { integrationId, actorId }, body);
  return acceptUrl.split('#token=')[1] ?? '';
}

before(async () => {
  for (let count = 0; count < 52; count++)
    userIds.push(await addPerson(database, { name: `person-${count}` }));
  const sealer = makeSealer([testMasterKey]);
  const created = await createIntegration({ db, sealer }, { label: 'Test', ownerId: userIds[0] ?? '' });
  integrationId = created.integrationId;
});

test('of 50 who accept one link at once, one joins', async () => {
  const [ownerId = '', , ...others] = userIds;
  const token = await newLink(ownerId);
  const outcomes = await Promise.all(
    others.map((userId) => outcome(acceptInvitation(db, someone(userId), token))),
  );
  assert.equal(outcomes.filter((each) => each === 'done').length, 1);
  assert.equal(outcomes.filter((each) => each === 'invitation_ended').length, 49);
  const { items } = await readMembers(db, { integrationId, actorId: ownerId }, { limit: 100 });
  assert.deepEqual(items.map(({ role }) => role).toSorted(), ['owner', 'viewer']);
});

test('of 30 invitations at once 20 are made', async () => {
  const [ownerId = ''] = userIds;
  await deleteRows(database, 'invitation_sends');
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, () =>
      outcome(createInvitation(deps, { integrationId, actorId: ownerId }, { email: null, role: 'viewer' })),
    ),
  );
  assert.equal(outcomes.filter((each) => each === 'done').length, 20);
  assert.equal(outcomes.filter((each) => each === 'too_many_requests').length, 10);
});

test('an inviter who is demoted while their link is used: in either order, without a deadlock', async () => {
  const [ownerId = '', adminId = '', guestId = ''] = userIds;
  for (let round = 0; round < 60; round++) {
    for (const userId of [adminId, guestId]) await removeFromTeam(database, integrationId, userId);
    await addToTeam(database, integrationId, adminId, 'admin');
    const token = await newLink(adminId);
    const demote = changeRole(db, { integrationId, actorId: ownerId }, { userId: adminId, role: 'viewer' });
    const [, accepted] = await Promise.all([demote, outcome(acceptInvitation(db, someone(guestId), token))]);
    assert.ok(['done', 'invitation_ended'].includes(accepted), accepted);
    assert.equal(await roleOf(guestId), accepted === 'done' ? 'viewer' : undefined);
  }
});

test('a link that is used in the moment of a removal does not undo it', async () => {
  const [ownerId = '', , memberId = ''] = userIds;
  await removeFromTeam(database, integrationId, memberId);
  await addToTeam(database, integrationId, memberId, 'member');
  const token = await newLink(ownerId);
  const { accepting } = await db.withScope({ integrationId }, async (tx) => {
    await removeMembership(tx, integrationId, memberId);
    const accepting = outcome(acceptInvitation(db, someone(memberId), token));
    await untilSessionWaits(database, 'the link');
    return { accepting };
  });
  assert.equal(await accepting, 'invitation_ended');
  assert.equal(await roleOf(memberId), undefined);
});

test('of 10 invitations mailed at once from two integrations 7 are made, as many as one person may mail', async () => {
  const [ownerId = ''] = userIds;
  const other = await createIntegration(
    { db, sealer: makeSealer([testMasterKey]) },
    { label: 'Other', ownerId },
  );
  await deleteRows(database, 'invitation_sends');
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      outcome(
        createInvitation(
          deps,
          { integrationId: index % 2 === 0 ? integrationId : other.integrationId, actorId: ownerId },
          { email: `somebody-${index}@example.com`, role: 'viewer' },
        ),
      ),
    ),
  );
  assert.equal(outcomes.filter((each) => each === 'done').length, 7);
  assert.equal(outcomes.filter((each) => each === 'sender_mail_limit').length, 3);
});
