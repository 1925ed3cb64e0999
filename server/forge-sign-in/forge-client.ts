import { ResponseTooLarge, boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import { profileOf, type ForgeProfile } from './profile.ts';

export interface ForgeClientOptions {
  /** Web root of the forge. */
  forgeUrl: string;
  forgeApiUrl: string;
  clientId: string;
  clientSecret: string;
  /** The callback URL for the forge. */
  redirectUri: string;
}

interface ForgeToken {
  accessToken: string;
  /** Space-separated. */
  scope: string;
  expiresInSeconds: number | undefined;
}

/** The forge gave no usable answer, so neither the person nor the code was checked. */
export class ForgeFailed extends Error {}

const timeoutMs = 3000;
/** Tokens, a profile and its addresses take a few kilobytes. */
const fetch = boundedFetch(256 * 1024);
const scope = 'read:user user:email';

/** The forge as an OAuth server. GitHub, Gitea and Forgejo use the same paths. */
export interface ForgeClient {
  authorizeUrl(request: { state: string; codeChallenge: string }): string;
  /** Undefined when the forge refuses the code. @throws ForgeFailed */
  exchangeCode(answer: { code: string; codeVerifier: string }): Promise<ForgeToken | undefined>;
  /** Undefined when the forge refuses the token. @throws ForgeFailed */
  readProfile(accessToken: string): Promise<ForgeProfile | undefined>;
}

export function makeForgeClient(options: ForgeClientOptions): ForgeClient {
  const { forgeUrl, forgeApiUrl, clientId, clientSecret, redirectUri } = options;
  const read = async (path: string, accessToken: string): Promise<Response> =>
    ask(`${forgeApiUrl}${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
  return {
    authorizeUrl: ({ state, codeChallenge }) => {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      });
      return `${forgeUrl}/login/oauth/authorize?${query}`;
    },
    exchangeCode: async ({ code, codeVerifier }) => {
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        code,
        code_verifier: codeVerifier,
      };
      const answer = await ask(`${forgeUrl}/login/oauth/access_token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      if (answer.status >= 500) throw new ForgeFailed(`the forge answered ${answer.status} to a code`);
      return tokenOf(await jsonOf(answer));
    },
    readProfile: async (accessToken) => {
      const [user, emails] = await Promise.all([
        read('/user', accessToken),
        read('/user/emails', accessToken),
      ]);
      if (user.status === 401 || user.status === 403) return undefined;
      if (!user.ok) throw new ForgeFailed(`the forge answered ${user.status} to GET /user`);
      // Without permission to read addresses, people sign in without an address.
      return profileOf(await jsonOf(user), emails.ok ? await jsonOf(emails) : []);
    },
  };
}

async function ask(url: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  const headers = { accept: 'application/json', 'user-agent': 'forgewatch', ...init.headers };
  try {
    return await fetch(url, {
      ...init,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    const problem = cause instanceof ResponseTooLarge ? cause.message : 'the forge does not answer';
    throw new ForgeFailed(problem, { cause });
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch (cause) {
    throw new ForgeFailed('the forge did not answer with JSON', { cause });
  }
}

/** GitHub answers a refused code with 200 and `error`, Gitea and Forgejo with 400. */
function tokenOf(body: unknown): ForgeToken | undefined {
  const {
    access_token: accessToken,
    scope: granted,
    expires_in: expiresIn,
  } = Object(body) as Record<string, unknown>;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  return {
    accessToken,
    scope: typeof granted === 'string' ? granted.replaceAll(',', ' ') : '',
    expiresInSeconds: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : undefined,
  };
}
