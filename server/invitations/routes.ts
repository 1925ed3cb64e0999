import { Type } from 'typebox';
import {
  AcceptedInvitation,
  AcceptInvitationBody,
  acceptUrlHeader,
  CreatedInvitation,
  InvitationBody,
  InvitationPage,
  InvitationQuery,
  mailOutcomeHeader,
  mostAcceptsPerMinute,
  OfferedInvitationPage,
} from '#contract/invitations.ts';
import { Uuid } from '#contract/schema.ts';
import { route } from '#platform/http/route.ts';
import type { Route } from '#server/route.ts';
import { acceptInvitation, acceptOffer } from './accept-invitation.ts';
import { createInvitation, resendInvitation, revokeInvitation, type InviteDeps } from './invite.ts';
import { readOffers } from './read-offers.ts';
import { readInvitations } from './read-invitations.ts';

const base = '/api/integrations/:integrationId/invitations';
const ofIntegration = Type.Object({ integrationId: Uuid });
const ofInvitation = Type.Object({ integrationId: Uuid, invitationId: Uuid });

export function invitationRoutes(deps: InviteDeps): Route[] {
  const { db } = deps;
  return [
    route({
      method: 'GET',
      path: base,
      access: { role: 'viewer' },
      summary: 'Invitations, newest first, without their links',
      params: ofIntegration,
      query: InvitationQuery,
      answer: { schema: InvitationPage },
      handle: ({ params: { integrationId }, query, request }) =>
        readInvitations(db, { integrationId, actorId: request.caller!.userId }, query),
    }),
    route({
      method: 'POST',
      path: base,
      access: { role: 'admin' },
      summary: 'Invites an address by mail, or makes a link; the answer shows the link this once',
      params: ofIntegration,
      body: InvitationBody,
      isConfidential: true,
      answer: { status: 201, schema: CreatedInvitation },
      handle: ({ params: { integrationId }, body, request }) =>
        createInvitation(deps, { integrationId, actorId: request.caller!.userId }, body),
    }),
    route({
      method: 'POST',
      path: `${base}/:invitationId/resend`,
      access: { role: 'admin' },
      summary: `Mails a new link, the old one is dead; the new one is also in the header ${acceptUrlHeader}`,
      params: ofInvitation,
      isConfidential: true,
      answer: { status: 204 },
      handle: async ({ params: { integrationId, invitationId }, request, reply }) => {
        const actor = { integrationId, actorId: request.caller!.userId };
        const sent = await resendInvitation(deps, actor, invitationId);
        reply.header(acceptUrlHeader, sent.acceptUrl).header(mailOutcomeHeader, sent.mail);
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:invitationId`,
      access: { role: 'admin' },
      summary: 'Revokes an invitation',
      params: ofInvitation,
      answer: { status: 204 },
      handle: ({ params: { integrationId, invitationId }, request }) =>
        revokeInvitation(deps, { integrationId, actorId: request.caller!.userId }, invitationId),
    }),
    route({
      method: 'POST',
      path: '/api/invitations/accept',
      access: 'signed-in',
      summary: 'Makes the caller a member by the token of an invitation',
      body: AcceptInvitationBody,
      rateLimits: [{ perMinute: mostAcceptsPerMinute, by: 'caller' }],
      answer: { schema: AcceptedInvitation },
      handle: ({ body: { token }, request }) => acceptInvitation(db, request.caller!, token),
    }),
    route({
      method: 'GET',
      path: '/api/invitations',
      access: 'signed-in',
      summary: 'Open invitations to the verified address of the caller',
      answer: { schema: OfferedInvitationPage },
      handle: async ({ request }) => ({ items: await readOffers(db, request.caller!), nextCursor: null }),
    }),
    route({
      method: 'POST',
      path: '/api/invitations/:invitationId/accept',
      access: 'signed-in',
      summary: 'Makes the caller a member by an invitation to their verified address, without its link',
      params: Type.Object({ invitationId: Uuid }),
      rateLimits: [{ perMinute: mostAcceptsPerMinute, by: 'caller' }],
      answer: { schema: AcceptedInvitation },
      handle: ({ params: { invitationId }, request }) => acceptOffer(db, request.caller!, invitationId),
    }),
  ];
}
