import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Role } from '#contract/members/roles.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import type { ForgeApi } from '#server/forge-app/forge-api.ts';
import { linkInstallation, unlinkInstallation } from '#server/forge-app/installations/link-installation.ts';
import { makeSetupProof } from '#server/forge-app/installations/setup-proof.ts';
import { changeWebhookEvents, renameIntegration } from '#server/integrations/change-integration.ts';
import { createIntegration } from '#server/integrations/create-integration.ts';
import { deleteIntegration } from '#server/integrations/delete-integration.ts';
import { rotateSecret } from '#server/integrations/secrets/rotate-secret.ts';
import { createInvitation, resendInvitation, revokeInvitation } from '#server/invitations/invite.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { changeRole } from '../change-role.ts';
import { removeMember } from '../remove-member.ts';
import { setRole as giveRole } from '../access/memberships.ts';
import { lockMembers } from '../store.ts';
import { addPerson, setRole } from '#test/support/team/people.ts';
import { readRows } from '#test/support/database/rows.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';

const database = await createTestDatabase();
const db = database.api;
const sealer = makeSealer([testMasterKey]);
const clock = Date.now;
const log = pino({ enabled: false });

const newUser = (name: string, forgeId: number): Promise<string> =>
  addPerson(database, { name, forgeLogin: name, forgeId: String(forgeId) });

const ownerId = await newUser('owner', 1);
const adminId = await newUser('admin', 2);
const targetId = await newUser('target', 3);
const { integrationId } = await createIntegration({ db, sealer }, { label: 'Ours', ownerId });
const actor = { integrationId, actorId: adminId };

const changeTo = (userId: string, role: Role) => setRole(database, integrationId, userId, role);

const inviting = {
  db,
  log,
  publicUrl: '',
  sendMail: async () => {},
  mailLimits: { mailsPerPerson: 100, countKey: testMasterKey },
};
const link = { email: null, role: 'viewer' as const };
const { invitationId } = await createInvitation(inviting, { integrationId, actorId: ownerId }, link);

/** A forge where everybody administers everything. */
const api: Pick<ForgeApi, 'readInstallation' | 'administers'> = {
  readInstallation: async () => ({
    account: { id: 1, login: 'acme', type: 'Organization' },
    isSuspended: false,
  }),
  administers: async () => true,
};
const proof = makeSetupProof([testMasterKey]);
const linking = {
  db,
  queue: { send: () => assert.fail('something was asked for') },
  api: api as ForgeApi,
  proof,
  role: 'member' as const,
  clock,
};
await insertInstallation(database, 77, [integrationId]);

const settings = { db, publicUrl: '', sealer, clock, log };
const acts: Record<string, () => Promise<unknown>> = {
  rename: () => renameIntegration(settings, actor, 'Mine'),
  'choose events': () => changeWebhookEvents(settings, actor, []),
  'rotate the secret': () => rotateSecret(settings, actor, 0),
  delete: () => deleteIntegration(settings, actor),
  'change a role': () => changeRole(db, actor, { userId: targetId, role: 'member' }),
  remove: () => removeMember(db, actor, targetId),
  invite: () => createInvitation(inviting, actor, link),
  'send an invitation again': () => resendInvitation(inviting, actor, invitationId),
  'revoke an invitation': () => revokeInvitation(inviting, actor, invitationId),
  'link an installation': async () =>
    linkInstallation(linking, actor, { installationId: '78', proof: await proof.make(actor) }),
  'unlink an installation': () => unlinkInstallation(linking, actor, '77'),
};

const everything = () =>
  Promise.all([
    readRows(database, 'integrations'),
    readRows(database, 'invitations'),
    readRows(database, 'installation_links'),
    readRows(database, 'memberships', { user_id: targetId }),
  ]);

for (const [name, act] of Object.entries(acts)) {
  test(`an admin cannot ${name} while being demoted: the request waits and is refused`, async () => {
    await changeTo(targetId, 'viewer');
    await changeTo(adminId, 'admin');
    const before = await everything();
    const { acting } = await db.withScope({ integrationId }, async (tx) => {
      await lockMembers(tx, integrationId, [ownerId, adminId]);
      await giveRole(tx, integrationId, adminId, 'viewer');
      const acting = act().then(
        () => 'done',
        (error: unknown) => (error instanceof AppError ? error.code : error),
      );
      await untilSessionWaits(database, 'the act');
      return { acting };
    });
    assert.equal(await acting, 'insufficient_role');
    assert.deepEqual(await everything(), before);
  });
}
