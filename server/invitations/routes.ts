import { mailLimits } from './mails/limit-invitation-mails.ts';
import {
  AcceptedInvitation,
  AcceptInvitationBody,
  acceptUrlHeader,
  CreatedInvitation,
  InvitationBody,
  InvitationPage,
  InvitationQuery,
  mailOutcomeHeader,
  maxAcceptsPerMinute,
  OfferedInvitation,
  OfferedInvitationPage,
} from '#contract/members/invitations.ts';
import { route, type Route } from '#server/route.ts';
import { acceptInvitation, acceptOffer } from './accept-invitation.ts';
import { createInvitation, resendInvitation, revokeInvitation, type InviteDeps } from './invite.ts';
import { readOffers, readOfferOfLink } from './read-offers.ts';
import { readInvitations } from './read-invitations.ts';

const base = '/api/integrations/:integrationId/invitations';

export function invitationRoutes(deps: InviteDeps): Route[] {
  return [...manageRoutes(deps), ...acceptRoutes(deps)];
}

/** For members of the integration. */
function manageRoutes(deps: InviteDeps): Route[] {
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List invitations, newest first, without their links',
      query: InvitationQuery,
      answer: { schema: InvitationPage },
      handle: ({ actor, query }) => readInvitations(deps.db, actor, query),
    }),
    route('POST', base, {
      access: { role: 'admin' },
      summary: 'Invite an address by mail, or create a link; the link is only shown in this response',
      body: InvitationBody,
      isConfidential: true,
      errors: ['owner_not_assignable', 'already_member', 'conflict', 'too_many_requests', ...mailLimits],
      answer: { status: 201, schema: CreatedInvitation },
      handle: ({ actor, body }) => createInvitation(deps, actor, body),
    }),
    route('POST', `${base}/:invitationId/resend`, {
      access: { role: 'admin' },
      summary: `Send a new link, which replaces the old one; the header ${acceptUrlHeader} contains it`,
      isConfidential: true,
      errors: ['invitation_ended', 'too_many_requests', ...mailLimits],
      answer: { status: 204 },
      handle: async ({ actor, params: { invitationId }, reply }) => {
        const sent = await resendInvitation(deps, actor, invitationId);
        reply.header(acceptUrlHeader, sent.acceptUrl).header(mailOutcomeHeader, sent.mail);
      },
    }),
    route('DELETE', `${base}/:invitationId`, {
      access: { role: 'admin' },
      summary: 'Revoke an invitation',
      errors: ['invitation_ended'],
      answer: { status: 204 },
      handle: ({ actor, params: { invitationId } }) => revokeInvitation(deps, actor, invitationId),
    }),
  ];
}

/** For the person who is invited. */
function acceptRoutes({ db }: InviteDeps): Route[] {
  return [
    route('POST', '/api/invitations/preview', {
      access: 'signed-in',
      summary: 'Read what an invitation offers, with its token; the body keeps the token out of logs',
      body: AcceptInvitationBody,
      rateLimits: [{ perMinute: maxAcceptsPerMinute, by: 'caller' }],
      errors: ['not_found', 'already_member', 'invitation_ended'],
      answer: { schema: OfferedInvitation },
      handle: ({ body: { token }, caller }) => readOfferOfLink(db, caller, token),
    }),
    route('POST', '/api/invitations/accept', {
      access: 'signed-in',
      summary: 'Accept an invitation with its token',
      body: AcceptInvitationBody,
      rateLimits: [{ perMinute: maxAcceptsPerMinute, by: 'caller' }],
      errors: ['not_found', 'already_member', 'invitation_ended'],
      answer: { schema: AcceptedInvitation },
      handle: ({ body: { token }, caller }) => acceptInvitation(db, caller, token),
    }),
    route('GET', '/api/invitations', {
      access: 'signed-in',
      summary: 'List open invitations to the verified address of the caller',
      answer: { schema: OfferedInvitationPage },
      handle: async ({ caller }) => ({ items: await readOffers(db, caller), nextCursor: null }),
    }),
    route('POST', '/api/invitations/:invitationId/accept', {
      access: 'signed-in',
      summary: 'Accept an invitation to the verified address of the caller, without its token',
      rateLimits: [{ perMinute: maxAcceptsPerMinute, by: 'caller' }],
      errors: ['already_member', 'invitation_ended'],
      answer: { schema: AcceptedInvitation },
      handle: ({ params: { invitationId }, caller }) => acceptOffer(db, caller, invitationId),
    }),
  ];
}
