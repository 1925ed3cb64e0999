import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Asked, ForgeSignIn } from './forge-sign-in.ts';

/** Encrypted, both must fit into one cookie. Amazon Cognito sends a long state. */
const stateMaxChars = 2048;
const nonceMaxChars = 128;
const stateBytes = 16;

/**
 * Returns the forge's URL and the value to keep in the browser. The forge gets a short state, because it refuses long ones from
 * people who sign in with a second factor.
 * @throws AppError when the request is invalid, so that redirecting to the client would be unsafe
 */
export async function beginAtForge(
  signIn: ForgeSignIn,
  query: URLSearchParams,
): Promise<{ location: string; state: string; kept: string }> {
  const asked = readRequest(signIn, query);
  const state = randomBytes(stateBytes).toString('base64url');
  const codeChallenge = createHash('sha256').update(signIn.verifierOf(state)).digest('base64url');
  return {
    location: signIn.forge.authorizeUrl({ state, codeChallenge }),
    state,
    kept: await signIn.asked.seal(asked),
  };
}

function readRequest(signIn: ForgeSignIn, query: URLSearchParams): Asked {
  for (const [name, values] of Map.groupBy(query, ([key]) => key))
    if (values.length > 1) throw refusal(`The parameter ${name} is repeated`);
  const state = query.get('state') ?? '';
  const nonce = query.get('nonce') ?? undefined;
  const codeChallenge = query.get('code_challenge') ?? undefined;
  if (query.get('client_id') !== signIn.client.id) throw refusal('client_id must be FORGE_CLIENT_ID');
  if (query.get('redirect_uri') !== signIn.redirectUri)
    throw refusal('redirect_uri must be COGNITO_REDIRECT_URL');
  if (query.get('response_type') !== 'code') throw refusal('response_type must be code');
  if (!(query.get('scope') ?? '').split(' ').includes('openid')) throw refusal('scope must contain openid');
  if (state === '' || state.length > stateMaxChars)
    throw refusal(`state must have 1 to ${stateMaxChars} characters`);
  if ((nonce?.length ?? 0) > nonceMaxChars)
    throw refusal(`nonce must have at most ${nonceMaxChars} characters`);
  if (codeChallenge !== undefined) {
    if (query.get('code_challenge_method') !== 'S256') throw refusal('code_challenge_method must be S256');
    if (!/^[\w-]{43}$/.test(codeChallenge)) throw refusal('code_challenge must be a SHA-256 in base64url');
  }
  return { state, nonce, codeChallenge };
}

const refusal = (detail: string) => new AppError('invalid_request', { detail });

/** Returns the client's redirect URL after the forge answered. It contains our own code in place of the forge's. */
export async function returnToClient(
  signIn: ForgeSignIn,
  query: URLSearchParams,
  kept: string | undefined,
): Promise<string> {
  const asked = kept === undefined ? undefined : await signIn.asked.open(kept);
  const code = query.get('code');
  if (asked === undefined)
    throw new AppError('invalid_state', {
      detail: 'The sign-in was started in another browser or more than ten minutes ago. Start again.',
    });
  const location = new URL(signIn.redirectUri);
  location.searchParams.set('state', asked.state);
  if (code === null || code === '') {
    const isDenied = query.get('error') === 'access_denied';
    if (!isDenied) signIn.log.warn('forge sign-in failed: no code in the redirect');
    location.searchParams.set('error', isDenied ? 'access_denied' : 'server_error');
    return location.href;
  }
  location.searchParams.set(
    'code',
    await signIn.codes.seal({
      c: code,
      s: query.get('state') ?? '',
      ...(asked.nonce === undefined ? {} : { n: asked.nonce }),
      ...(asked.codeChallenge === undefined ? {} : { h: asked.codeChallenge }),
    }),
  );
  return location.href;
}
