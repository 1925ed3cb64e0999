import { invite } from '#test/support/team/invite.ts';
import {
  newOffer,
  newPersonalToken,
  newIntegrationToken,
  newMember,
  newInvitation,
} from '../route-objects.ts';
import { after, inPath, nothing, one, type Examples } from './example.ts';

/** Calls about people and their access. */
export const personExamples: Examples = {
  'GET /api/user': nothing,
  'GET /api/auth/ws-token': nothing,
  'GET /api/user/notifications': nothing,
  'PUT /api/user/notifications': () => ({ body: { enabled: true, integrationIds: null } }),
  'GET /api/user/tokens': nothing,
  'POST /api/user/tokens': () => ({ body: { name: 'New', scopes: ['read'] } }),
  'DELETE /api/user/tokens': after(newPersonalToken),
  'DELETE /api/user/tokens/:tokenId': inPath('tokenId', newPersonalToken),
  [`GET ${one}/tokens`]: nothing,
  [`POST ${one}/tokens`]: () => ({ body: { name: 'New', role: 'viewer' } }),
  [`DELETE ${one}/tokens/:tokenId`]: inPath('tokenId', newIntegrationToken),
  [`GET ${one}/members`]: nothing,
  [`PATCH ${one}/members/:userId`]: async (world) => ({
    params: { userId: (await newMember(world)).userId },
    body: { role: 'member' },
  }),
  [`DELETE ${one}/members/:userId`]: async (world) => ({
    params: { userId: (await newMember(world)).userId },
  }),
  [`POST ${one}/leave`]: nothing,
  [`POST ${one}/transfer-ownership`]: ({ team }) => ({ body: { userId: team.member.userId } }),
  [`GET ${one}/invitations`]: nothing,
  [`POST ${one}/invitations`]: () => ({ body: { email: 'new@example.com', role: 'viewer' } }),
  [`POST ${one}/invitations/:invitationId/resend`]: inPath('invitationId', newInvitation),
  [`DELETE ${one}/invitations/:invitationId`]: inPath('invitationId', newInvitation),
  'POST /api/invitations/preview': async ({ team }) => ({
    body: { token: (await invite(team, null, 'viewer')).token },
  }),
  'POST /api/invitations/accept': async ({ team }) => ({
    body: { token: (await invite(team, null, 'viewer')).token },
  }),
  'GET /api/invitations': nothing,
  'POST /api/invitations/:invitationId/accept': inPath('invitationId', newOffer),
};
