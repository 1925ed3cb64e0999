import { createHash } from 'node:crypto';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Asked, ForgeSignIn } from './forge-sign-in.ts';

/** Together they must fit a cookie, encrypted; Cognito's state is the long one. */
const stateMaxChars = 2048;
const nonceMaxChars = 128;

/**
 * Where the browser goes to the forge, and what it keeps meanwhile. The forge gets a short state of ours, because it
 * refuses long ones from people who sign in with a second factor.
 * @throws AppError what the client asked for cannot be answered by sending the person back to it
 */
export async function beginAtForge(
  signIn: ForgeSignIn,
  query: URLSearchParams,
): Promise<{ location: string; state: string; kept: string }> {
  const asked = readRequest(signIn, query);
  const state = signIn.newState();
  const codeChallenge = createHash('sha256').update(signIn.verifierOf(state)).digest('base64url');
  return {
    location: signIn.forge.authorizeUrl({ state, codeChallenge }),
    state,
    kept: await signIn.asked.seal(asked),
  };
}

function readRequest(signIn: ForgeSignIn, query: URLSearchParams): Asked {
  for (const [name, values] of Map.groupBy(query, ([key]) => key))
    if (values.length > 1) throw refusal(`${name} comes more than once`);
  const redirectUri = query.get('redirect_uri') ?? '';
  const state = query.get('state') ?? '';
  const nonce = query.get('nonce') ?? undefined;
  const codeChallenge = query.get('code_challenge') ?? undefined;
  if (query.get('client_id') !== signIn.client.id) throw refusal('client_id is not that of FORGE_CLIENT_ID');
  if (!signIn.redirectUris.includes(redirectUri))
    throw refusal('redirect_uri is not allowed; set COGNITO_REDIRECT_URL');
  if (query.get('response_type') !== 'code') throw refusal('response_type should be code');
  if (!(query.get('scope') ?? '').split(' ').includes('openid')) throw refusal('scope should hold openid');
  if (state === '' || state.length > stateMaxChars)
    throw refusal(`state should have 1 to ${stateMaxChars} characters`);
  if ((nonce?.length ?? 0) > nonceMaxChars)
    throw refusal(`nonce should have at most ${nonceMaxChars} characters`);
  if (codeChallenge !== undefined) {
    if (query.get('code_challenge_method') !== 'S256') throw refusal('code_challenge_method should be S256');
    if (!/^[\w-]{43}$/.test(codeChallenge)) throw refusal('code_challenge should be a SHA-256 in base64url');
  }
  return { redirectUri, state, nonce, codeChallenge };
}

const refusal = (detail: string) => new AppError('invalid_request', { detail });

/** Back from the forge: where the client waits for the answer, with a code of ours in place of the forge's. */
export async function returnToClient(
  signIn: ForgeSignIn,
  query: URLSearchParams,
  kept: string | undefined,
): Promise<string> {
  const asked = kept === undefined ? undefined : await signIn.asked.open(kept);
  const code = query.get('code');
  if (asked === undefined)
    throw new AppError('invalid_state', {
      detail: 'This sign-in was begun in another browser or more than ten minutes ago. Begin again.',
    });
  const location = new URL(asked.redirectUri);
  location.searchParams.set('state', asked.state);
  if (code === null || code === '') {
    const isDenied = query.get('error') === 'access_denied';
    if (!isDenied) signIn.log.warn('the forge came back from a sign-in without a code');
    location.searchParams.set('error', isDenied ? 'access_denied' : 'server_error');
    return location.href;
  }
  location.searchParams.set(
    'code',
    await signIn.codes.seal({
      c: code,
      s: query.get('state') ?? '',
      r: signIn.redirectUris.indexOf(asked.redirectUri),
      ...(asked.nonce === undefined ? {} : { n: asked.nonce }),
      ...(asked.codeChallenge === undefined ? {} : { h: asked.codeChallenge }),
    }),
  );
  return location.href;
}
