import type { ErrorCode } from '#contract/base/errors.ts';

interface Failure {
  title: string;
  /** What the person does next. */
  advice: string;
}

const failures: Partial<Record<ErrorCode, Failure>> = {
  sign_in_refused: {
    title: 'The identity provider did not sign you in',
    advice: 'You cancelled, or the provider refused. Try again.',
  },
  identity_provider_failed: {
    title: 'The sign-in was not completed',
    advice: 'The response of the identity provider could not be used. Try again.',
  },
  identity_provider_unavailable: {
    title: 'The identity provider does not answer',
    advice: 'Try again in a minute.',
  },
  identity_provider_misconfigured: {
    title: 'The sign-in is misconfigured',
    advice: 'Contact your operator. The server log has the details.',
  },
  invalid_state: {
    title: 'The response of the identity provider was not valid',
    advice: 'Start the sign-in on this page, not from a bookmark of the identity provider.',
  },
  missing_code: {
    title: 'The response of the identity provider was incomplete',
    advice: 'Start the sign-in again.',
  },
  redirect_not_allowed: {
    title: 'The return address is not allowed',
    advice: 'Sign in again. The start page opens.',
  },
  sign_in_not_bound: {
    title: 'The sign-in does not belong to this browser session',
    advice:
      'It took longer than ten minutes, was started elsewhere, or another person is signed in here. Allow cookies for this site and sign in again.',
  },
  unauthenticated: {
    title: 'Your session has ended',
    advice: 'It expired, or you signed out in another tab. After the sign-in the page opens again.',
  },
  too_many_requests: { title: 'Too many sign-ins from here', advice: 'Wait a minute, then try again.' },
  try_again: { title: 'Forgewatch was too busy', advice: 'Try again shortly.' },
};

const other: Failure = {
  title: 'The sign-in failed',
  advice: 'Try again. If the problem persists, contact your operator.',
};

/** The text for an error code in the address of the sign-in page. Unknown codes get a general text. */
export function signInFailure(code: string): Failure {
  return (Object.hasOwn(failures, code) ? failures[code as ErrorCode] : undefined) ?? other;
}
