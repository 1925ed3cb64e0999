import * as openid from 'openid-client';
import { isFields } from '#platform/runtime/json-fields.ts';
import { isInvalidClient } from './faults.ts';

/** The provider refused a request; `message` names its `error` and `error_description`, for the log. */
export class ProviderRefusal extends Error {
  /** It does not accept this service as its client. */
  readonly isInvalidClient: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.isInvalidClient = isInvalidClient(cause);
  }
}

const longestError = 60;
const longestDescription = 300;

/** The error with what the provider says about it; the error itself when it says nothing. `secrets` stay out of it. */
export async function explainRefusal(error: unknown, secrets: readonly string[]): Promise<unknown> {
  const said = await providerErrorOf(error);
  if (said === undefined) return error;
  const code = clean(said.error, secrets, longestError);
  const description = clean(said.error_description, secrets, longestDescription);
  const words = [code, description].filter((each) => each !== '').join(': ');
  return new ProviderRefusal(`identity provider answered ${said.status} ${words}`.trimEnd(), error);
}

interface ProviderError {
  status: number;
  error: unknown;
  error_description: unknown;
}

async function providerErrorOf(error: unknown): Promise<ProviderError | undefined> {
  if (error instanceof openid.ResponseBodyError)
    return { status: error.status, error: error.error, error_description: error.error_description };
  if (!(error instanceof openid.WWWAuthenticateChallengeError)) return undefined;
  // The library reads no body behind a challenge.
  const body = await readFields(error.response).catch(() => undefined);
  return { status: error.status, error: body?.['error'], error_description: body?.['error_description'] };
}

async function readFields(response: Response): Promise<Record<string, unknown> | undefined> {
  const fields: unknown = await response.json();
  return isFields(fields) ? (fields as Record<string, unknown>) : undefined;
}

/** Shorter ones would cut words apart, and are worth nothing. */
const shortestSecret = 4;

/** Longer than words: codes, tokens and the like, which a provider may quote. */
const tokenLike = /[\w.~+/=-]{24,}/g;

function clean(value: unknown, secrets: readonly string[], longest: number): string {
  if (typeof value !== 'string') return '';
  const start = value.slice(0, longest * 4).replace(/\p{C}/gu, ' ');
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), start)
    .replace(tokenLike, '[long value]')
    .slice(0, longest);
}
