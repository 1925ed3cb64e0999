import assert from 'node:assert/strict';
import type { CreatedInvitation } from '#contract/members/invitations.ts';
import { ageRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import type { Answer, Person, Team } from './team.ts';

/** Invites through HTTP; with the token that is in the link. */
export async function invite(team: Team, email: string | null, role = 'member', by: Person = team.admin) {
  const answer = await by.call('POST', team.path('/invitations'), { email, role });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const created = answer.body as unknown as CreatedInvitation;
  return { ...created, token: created.acceptUrl.split('#token=')[1] ?? '' };
}

/** What the page of the link shows before. */
export const preview = (who: Person, token: string): Promise<Answer> =>
  who.call('POST', '/api/invitations/preview', { token });

/** As the page of the link does it. */
export const accept = (who: Person, token: string): Promise<Answer> =>
  who.call('POST', '/api/invitations/accept', { token });

/** As a week later. */
export const endInvitation = (database: TestDatabase, invitationId: string): Promise<void> =>
  ageRows(database, 'invitations.expires_at', '8 days', { invitation_id: invitationId });
