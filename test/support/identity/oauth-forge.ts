import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { send } from '#test/support/forge/forge-answer.ts';
import { serve } from '#test/support/network/serve.ts';

export interface ForgePerson {
  id: number;
  login: string;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
}

export interface OAuthForge {
  /** Web root; the API is under `/api`. */
  url: string;
  clientId: string;
  clientSecret: string;
  /** Who is signed in at the forge and consents; undefined denies. */
  person: ForgePerson | undefined;
  /** Codes and tokens that it gave out, to look for them in logs. */
  secrets: string[];
  /** Paths that were asked for by the product. */
  calls: string[];
  /** Answers every call of the product with this status. */
  failWith: number | undefined;
}

/** How forges differ where it matters for a sign-in. */
export type ForgeKind = 'github' | 'gitea';

interface Grant {
  challenge: string | null;
  redirectUri: string;
  person: ForgePerson;
}

/** The OAuth side of a forge over HTTP, with the shapes of GitHub's answers or of Gitea's and Forgejo's. */
export async function startOAuthForge(kind: ForgeKind): Promise<OAuthForge> {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, ForgePerson>();
  const { url } = await serve((request, response) => void answer(request, response));
  const self: OAuthForge = {
    url,
    clientId: 'forge-client',
    clientSecret: 'the secret of the forge client',
    person: undefined,
    secrets: [],
    calls: [],
    failWith: undefined,
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', self.url);
    if (url.pathname === '/login/oauth/authorize') return authorize(url, response);
    self.calls.push(`${request.method} ${url.pathname}`);
    if (self.failWith !== undefined) return void response.writeHead(self.failWith).end('<html>busy</html>');
    if (url.pathname === '/login/oauth/access_token')
      return exchange(new URLSearchParams(await text(request)), response);
    const person = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (person === undefined) return send(response, 401, { message: 'Bad credentials' });
    if (url.pathname === '/api/user') return send(response, 200, userOf(kind, person, self.url));
    if (url.pathname === '/api/user/emails') return send(response, 200, person.emails);
    send(response, 404, { message: 'Not Found' });
  }

  function authorize({ searchParams: query }: URL, response: ServerResponse): void {
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('state', query.get('state') ?? '');
    if (query.get('client_id') !== self.clientId || (query.get('state') ?? '').length > 100)
      return void response.writeHead(400).end('refused');
    if (self.person === undefined) back.searchParams.set('error', 'access_denied');
    else {
      const code = newSecret();
      codes.set(code, {
        challenge: query.get('code_challenge'),
        redirectUri: query.get('redirect_uri') ?? '',
        person: self.person,
      });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function exchange(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      grant !== undefined &&
      form.get('client_id') === self.clientId &&
      form.get('client_secret') === self.clientSecret &&
      form.get('redirect_uri') === grant.redirectUri &&
      challenge === grant.challenge;
    if (!isRight) {
      // GitHub tells of it with 200.
      if (kind === 'github') return send(response, 200, { error: 'bad_verification_code' });
      return send(response, 400, {
        error: 'unauthorized_client',
        error_description: 'client is not authorized',
      });
    }
    const token = kind === 'github' ? newSecret() : newJwt();
    tokens.set(token, grant.person);
    if (kind === 'github')
      return send(response, 200, {
        access_token: token,
        scope: 'read:user,user:email',
        token_type: 'bearer',
      });
    send(response, 200, {
      access_token: token,
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: newSecret(),
    });
  }

  function newSecret(): string {
    const secret = randomBytes(20).toString('hex');
    self.secrets.push(secret);
    return secret;
  }

  /** As long as those of Gitea and Forgejo, which sign with a key of 4096 bits. */
  function newJwt(): string {
    const parts = [80, 45, 512].map((bytes) => randomBytes(bytes).toString('base64url'));
    const jwt = parts.join('.');
    self.secrets.push(jwt);
    return jwt;
  }
  return self;
}

function userOf(kind: ForgeKind, { id, login, name }: ForgePerson, url: string): object {
  const shared = { id, login, avatar_url: `${url}/avatars/${id}`, html_url: `${url}/${login}` };
  return kind === 'github'
    ? { ...shared, name, email: null, updated_at: '2026-11-01T00:00:00Z' }
    : {
        ...shared,
        full_name: name ?? '',
        email: `${login}@noreply.example`,
        created: '2026-11-01T00:00:00Z',
      };
}
