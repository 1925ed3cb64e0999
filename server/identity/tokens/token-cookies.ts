import type { FastifyReply, FastifyRequest } from 'fastify';

/** Session tokens as cookies. Their names and attributes are part of the API. */
const tokenNames = ['accessToken', 'idToken', 'refreshToken'] as const;
type TokenName = (typeof tokenNames)[number];

export type PresentedTokens = Partial<Record<TokenName, string>>;

export interface TokenCookies {
  /** A repeated cookie counts as absent: another host of the domain may have set one of them. */
  read(request: FastifyRequest): PresentedTokens;
  /** Starts a session: clears cookies of the previous session that have no new value. */
  begin(reply: FastifyReply, tokens: PresentedTokens): void;
  /** Sets the given tokens and keeps the others. */
  set(reply: FastifyReply, tokens: PresentedTokens): void;
  clear(reply: FastifyReply): void;
  /** Clears repeated cookies on every path that may have set them, so that the person can sign in again. */
  clearAmbiguous(request: FastifyRequest, reply: FastifyReply): void;
  /** First token above the browsers' limit for a cookie; undefined when all fit. */
  tooLarge(tokens: PresentedTokens): TokenName | undefined;
}

/** Name and encoded value together. Browsers silently drop longer cookies. */
const cookieMaxBytes = 4096;

export function makeTokenCookies(options: {
  prefix: '__Host-' | undefined;
  maxAgeSeconds: number;
}): TokenCookies {
  const cookieName = (token: TokenName): string => `${options.prefix ?? ''}${token}`;
  const pathOf = (token: TokenName): string => {
    // The prefix requires the root path. Without it, the refresh token is sent only to the routes of the session.
    if (options.prefix !== undefined) return '/';
    return token === 'refreshToken' ? '/api/auth' : '/api';
  };
  const attributesOf = (token: TokenName) =>
    ({ path: pathOf(token), httpOnly: true, secure: true, sameSite: 'lax' }) as const;
  const set = (reply: FastifyReply, token: TokenName, value: string): void => {
    reply.setCookie(cookieName(token), value, { ...attributesOf(token), maxAge: options.maxAgeSeconds });
  };
  const clear = (reply: FastifyReply, token: TokenName): void => {
    reply.clearCookie(cookieName(token), attributesOf(token));
  };
  return {
    read: (request) => {
      const tokens: PresentedTokens = {};
      for (const token of tokenNames) {
        const value = singleCookie(request.headers.cookie ?? '', cookieName(token));
        if (value !== undefined && value !== '') tokens[token] = value;
      }
      return tokens;
    },
    begin: (reply, tokens) => {
      for (const token of tokenNames) {
        const value = tokens[token];
        if (value === undefined) clear(reply, token);
        else set(reply, token, value);
      }
    },
    set: (reply, tokens) => {
      for (const token of tokenNames) {
        const value = tokens[token];
        if (value !== undefined) set(reply, token, value);
      }
    },
    clear: (reply) => {
      for (const token of tokenNames) clear(reply, token);
    },
    clearAmbiguous: (request, reply) => {
      for (const token of tokenNames) {
        if (cookiesNamed(request.headers.cookie ?? '', cookieName(token)).length < 2) continue;
        for (const path of ['/', '/api', '/api/auth'])
          reply.clearCookie(cookieName(token), { ...attributesOf(token), path });
      }
    },
    tooLarge: (tokens) =>
      tokenNames.find(
        (token) => cookieName(token).length + encodeURIComponent(tokens[token] ?? '').length > cookieMaxBytes,
      ),
  };
}

/** Undefined when it is missing, repeated, or not encoded as `setCookie` encodes it. */
export function singleCookie(header: string, name: string): string | undefined {
  const [value, ...others] = cookiesNamed(header, name);
  if (value === undefined || others.length > 0) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function cookiesNamed(header: string, name: string): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
