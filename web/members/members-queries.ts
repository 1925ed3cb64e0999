import { queryOptions } from '@tanstack/react-query';
import type { Invitation } from '#contract/members/invitations.ts';
import type { Member } from '#contract/members/members.ts';
import { listQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';

/** Invited people join at any time, without a live update. */
const askEveryMs = 30_000;

export const membersPath = (integrationId: string): string => `/api/integrations/${integrationId}/members`;

export const invitationsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/invitations`;

export const membersQuery = (integrationId: string) =>
  queryOptions({
    ...listQuery<Member>(membersPath(integrationId)),
    refetchInterval: readEvery(askEveryMs),
  });

/** Invitations that can be accepted, resent or revoked. */
export const invitationsQuery = (integrationId: string) =>
  queryOptions({
    ...listQuery<Invitation>(invitationsPath(integrationId)),
    refetchInterval: readEvery(askEveryMs),
  });
