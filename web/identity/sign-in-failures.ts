import type { ErrorCode } from '#contract/errors.ts';

interface Failure {
  title: string;
  /** What the person does next. */
  advice: string;
}

const failures: Partial<Record<ErrorCode, Failure>> = {
  sign_in_refused: {
    title: 'The identity provider did not sign you in',
    advice: 'You cancelled there, or it refused. Try again.',
  },
  identity_provider_failed: {
    title: 'The sign-in was not completed',
    advice: 'The answer of the identity provider could not be used. Try again.',
  },
  identity_provider_unavailable: {
    title: 'The identity provider does not answer',
    advice: 'Try again in a minute.',
  },
  identity_provider_misconfigured: {
    title: 'Forgewatch and its identity provider do not fit together',
    advice: 'Trying again will not help. Tell whoever runs Forgewatch; its log says what is wrong.',
  },
  invalid_state: {
    title: 'The answer of the identity provider was not valid',
    advice: 'Begin the sign-in here, not from a bookmark of the identity provider.',
  },
  missing_code: {
    title: 'The answer of the identity provider was not complete',
    advice: 'Begin the sign-in again.',
  },
  redirect_not_allowed: {
    title: 'The page to return to is not one of Forgewatch',
    advice: 'Sign in again; you will come to the first page.',
  },
  sign_in_not_bound: {
    title: 'This browser did not begin that sign-in',
    advice:
      'It took longer than ten minutes, began elsewhere, or another person is signed in here. Sign in again here, and allow cookies of this site.',
  },
  too_many_requests: { title: 'Too many sign-ins from here', advice: 'Wait a minute, then try again.' },
  try_again: { title: 'Forgewatch was too busy', advice: 'Try again shortly.' },
};

const other: Failure = {
  title: 'The sign-in failed',
  advice: 'Try again. If it stays, tell whoever runs Forgewatch.',
};

/** What a code in the address of the sign-in page means, in words; a code that nobody wrote here too. */
export function signInFailure(code: string): Failure {
  return (Object.hasOwn(failures, code) ? failures[code as ErrorCode] : undefined) ?? other;
}
