import { AppError } from '#platform/runtime/app-error.ts';
import type { Invited } from './rules.ts';

/** The text depends on the caller alone, so that it reveals nothing about the invitation. */
export function invitationNotFound({ email, isEmailVerified }: Invited): AppError {
  const advice =
    email !== null && isEmailVerified
      ? 'Is this the address it was sent to, and the newest link?'
      : 'Your identity provider does not vouch for your address: ask for an invitation by a link.';
  return new AppError('not_found', { detail: `Invitation not found. ${advice}` });
}

export function invitationEnded(): AppError {
  return new AppError('invitation_ended', { detail: 'Ask for a new one.' });
}

export function alreadyMember(): AppError {
  return new AppError('already_member', { detail: 'You are already a member. Your role does not change.' });
}
