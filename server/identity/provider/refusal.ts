import * as openid from 'openid-client';
import { isFields } from '#platform/runtime/json-fields.ts';
import { isInvalidClient } from './faults.ts';

/** The provider refused a request. `message` contains its `error` and `error_description` and is for the log. */
export class ProviderRefusal extends Error {
  readonly isInvalidClient: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.isInvalidClient = isInvalidClient(cause);
  }
}

const longestError = 60;
const longestDescription = 300;

/** Adds the provider's error code and description to the error, without `secrets`. */
export async function explainRefusal(error: unknown, secrets: readonly string[]): Promise<unknown> {
  const answer = await providerErrorOf(error);
  if (answer === undefined) return error;
  const code = clean(answer.error, secrets, longestError);
  const description = clean(answer.error_description, secrets, longestDescription);
  const words = [code, description].filter((each) => each !== '').join(': ');
  return new ProviderRefusal(`identity provider answered ${answer.status} ${words}`.trimEnd(), error);
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
  // The library does not read the body of a challenge.
  const body = await readFields(error.response).catch(() => undefined);
  return { status: error.status, error: body?.['error'], error_description: body?.['error_description'] };
}

async function readFields(response: Response): Promise<Record<string, unknown> | undefined> {
  const fields: unknown = await response.json();
  return isFields(fields) ? (fields as Record<string, unknown>) : undefined;
}

/** Shorter values occur inside ordinary words. */
const shortestSecret = 4;

/** Text longer than words: a provider may quote codes and tokens. */
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
