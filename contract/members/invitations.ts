import { Type, type Static } from 'typebox';
import { RoleName } from '../integrations/integrations.ts';
import { EmailAddress, nullable, pageOf, pageQuery, Time, Uuid, strictObject } from '../base/schema.ts';

/** `pending` alone can be accepted; resending makes an `expired` one `pending` again. */
const invitationStatuses = ['pending', 'expired', 'accepted', 'revoked'] as const;

/** How long a link may be used. */
export const invitationDays = 7;
/** Invitations and resends together, for each integration. */
export const maxInvitationsPerHour = 20;
/** Mails to one address in a day, from all integrations together. */
export const maxMailsToAddressPerDay = 5;
/** Invitation mails in a day, of everybody together. */
export const maxMailsPerDay = 1000;
export const maxAcceptsPerMinute = 10;

export const Invitation = Type.Object({
  invitationId: Uuid,
  /**
   * Only a person with this verified address can accept. Null for a link that anyone can use once. Masked
   * (`a***@example.com`) for viewers and members.
   */
  email: nullable(Type.String()),
  role: RoleName,
  status: Type.Enum([...invitationStatuses]),
  invitedBy: Type.Object({ userId: Uuid, name: nullable(Type.String()) }),
  createdAt: Time,
  expiresAt: Time,
});
export type Invitation = Static<typeof Invitation>;

/** Newest first. */
export const InvitationPage = pageOf(Invitation);
export type InvitationPage = Static<typeof InvitationPage>;

export const InvitationQuery = strictObject({
  ...pageQuery,
  /** `open` (default): those that can still be accepted, resent or revoked. */
  status: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('all')])),
});
export type InvitationQuery = Static<typeof InvitationQuery>;

export const InvitationBody = strictObject({
  /** Null makes a link that anybody may use, once, for the role member at most. */
  email: nullable(EmailAddress),
  /** `owner` is refused with 403 `owner_not_assignable`. */
  role: RoleName,
});
export type InvitationBody = Static<typeof InvitationBody>;

/** Outcome of the mail; `none` for a link. The invitation is valid in each case. */
const mailOutcomes = ['sent', 'failed', 'not_configured', 'none'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

export const CreatedInvitation = Type.Object({
  ...Invitation.properties,
  /** Holds the token, this once: `{publicUrl}/invitations/accept#token=...`. */
  acceptUrl: Type.String(),
  mail: Type.Enum([...mailOutcomes]),
});
export type CreatedInvitation = Static<typeof CreatedInvitation>;

/** Headers of the answer to a resend, which has no body: the new link, and what became of the mail. */
export const acceptUrlHeader = 'x-accept-url';
export const mailOutcomeHeader = 'x-mail-outcome';

/** What follows `token=` in the fragment of the accept link. Reading and accepting take it in the body. */
export const AcceptInvitationBody = strictObject({ token: Type.String({ minLength: 1, maxLength: 200 }) });

/** An open invitation as the invited person sees it. */
export const OfferedInvitation = Type.Object({
  invitationId: Uuid,
  /** Of the integration. */
  label: Type.String(),
  role: RoleName,
  /** Who invites. */
  inviterName: nullable(Type.String()),
  createdAt: Time,
  expiresAt: Time,
});
export type OfferedInvitation = Static<typeof OfferedInvitation>;

/** Those that can be accepted, newest first, at most `maxOffers`. */
export const OfferedInvitationPage = pageOf(OfferedInvitation);
export type OfferedInvitationPage = Static<typeof OfferedInvitationPage>;
export const maxOffers = 20;

export const AcceptedInvitation = Type.Object({ integrationId: Uuid, role: RoleName });
export type AcceptedInvitation = Static<typeof AcceptedInvitation>;
