import type { SignInCookie } from '#contract/members/identity.ts';
import { isFields } from '#platform/runtime/json-fields.ts';

/** Content of `state`, which the web app creates. Missing fields and fields that are not strings are undefined. */
export interface SignInState {
  redirectUrl: string | undefined;
  /** One-time value that binds the answer to the browser that started the sign-in. */
  n: string | undefined;
}

const longest = 4096;

/** Undefined unless the text is base64 (either alphabet) of a JSON object. Never throws. */
export function readSignInState(state: string): SignInState | undefined {
  const fields = readEncodedObject(state);
  if (fields === undefined) return undefined;
  return { redirectUrl: ownString(fields, 'redirect_url'), n: ownString(fields, 'n') };
}

/** Reads the web app's cookie of a sign-in. Undefined when a field is missing. */
export function readSignInCookie(value: string): SignInCookie | undefined {
  const fields = readEncodedObject(value);
  if (fields === undefined) return undefined;
  const n = ownString(fields, 'n');
  const nonce = ownString(fields, 'nonce');
  const codeVerifier = ownString(fields, 'codeVerifier');
  if (n === undefined || nonce === undefined || codeVerifier === undefined) return undefined;
  return { n, nonce, codeVerifier };
}

function readEncodedObject(text: string): object | undefined {
  // In a query a plus sign arrives as a space.
  const encoded = text.replaceAll(' ', '+');
  if (encoded.length > longest || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return undefined;
  try {
    const bytes = Buffer.from(encoded, 'base64');
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function ownString(fields: object, name: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(fields, name)?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
