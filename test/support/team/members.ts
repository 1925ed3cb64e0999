import type { Member } from '#contract/members/members.ts';
import type { Person, Team } from './team.ts';

export async function membersOf({ owner, path }: Pick<Team, 'owner' | 'path'>): Promise<Member[]> {
  const { body } = await owner.call('GET', path('/members'));
  return body.items as unknown as Member[];
}

/** Undefined for somebody who is no member. */
export async function membershipOf(
  team: Pick<Team, 'owner' | 'path'>,
  { userId }: Pick<Person, 'userId'>,
): Promise<Pick<Member, 'role' | 'source'> | undefined> {
  const found = (await membersOf(team)).find(({ user }) => user.userId === userId);
  return found && { role: found.role, source: found.source };
}
