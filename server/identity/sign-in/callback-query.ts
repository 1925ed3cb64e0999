import { AppError } from '#platform/runtime/app-error.ts';

/** Query of the redirect from the identity provider. */
export interface CallbackQuery {
  code: string;
  state: string;
  iss: string | undefined;
}

const codeMaxChars = 2048;

/**
 * Reads the callback's query. Each parameter may occur once. The text of `error` is not shown, because anyone can
 * write such a link. @throws AppError `missing_code`, `invalid_state`, `sign_in_refused`
 */
export function readCallbackQuery(query: URLSearchParams, issuer: string | undefined): CallbackQuery {
  for (const name of ['code', 'state', 'error', 'iss']) {
    if (query.getAll(name).length > 1)
      throw new AppError(name === 'code' ? 'missing_code' : 'invalid_state', {
        detail: `${name} was given twice.`,
      });
  }
  if (query.has('error')) {
    throw new AppError('sign_in_refused', {
      detail: 'The identity provider returned an error. The log has its code. Start the sign-in again.',
      cause: new Error(
        `the identity provider answered ${(query.get('error') ?? '').replace(/[^a-z_]/g, '?').slice(0, 60)}`,
      ),
    });
  }
  const code = query.get('code') ?? '';
  if (code === '' || code.length > codeMaxChars)
    throw new AppError('missing_code', { detail: 'Start the sign-in again.' });
  const iss = query.get('iss') ?? undefined;
  if (iss !== undefined && issuer !== undefined && iss !== issuer)
    throw new AppError('invalid_state', { detail: 'The response comes from another identity provider.' });
  return { code, state: query.get('state') ?? '', iss };
}
