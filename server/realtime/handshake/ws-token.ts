import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { strictObject } from '#contract/base/schema.ts';
import { isUuid } from '#platform/database/scope.ts';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import type { RealtimePolicy } from '#server/realtime/policy.ts';

/** `all` means every integration that the user is a member of at the handshake. */
export interface TokenClaims {
  userId: string;
  /** The session that the token was issued for. Sockets end with it. */
  sessionId: string;
  integrationIds: readonly string[] | 'all';
  jti: string;
  issuedAt: Date;
  expiresAt: Date;
  /** When the socket ends at the latest. */
  endsAt: Date | undefined;
}

export interface TokenGrant {
  userId: string;
  sessionId: string;
  integrationIds: readonly string[];
  /** When the API token of the caller expires. */
  endsAt?: Date | undefined;
}

export interface Tokens {
  mint(grant: TokenGrant & { now: number }): {
    token: string;
    /** ISO 8601. */
    expiresAt: string;
  };
  /** Undefined when the token is forged, changed or expired. */
  verify(token: string, now: number): TokenClaims | undefined;
}

export interface TokenOptions {
  /** Master keys: the first one signs, all verify. */
  keys: readonly Buffer[];
  /** The URL of the deployment. Refuses tokens of another deployment that shares a key. */
  audience: string;
  policy: RealtimePolicy;
}

interface SigningKey {
  kid: string;
  key: Buffer;
}

const Payload = strictObject({
  v: Type.Literal(1),
  sub: Type.String(),
  sid: Type.String({ minLength: 1, maxLength: 200 }),
  int: Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })]),
  iat: Type.Integer(),
  exp: Type.Integer(),
  end: Type.Optional(Type.Integer()),
  jti: Type.String({ minLength: 1, maxLength: 64 }),
  aud: Type.String(),
});
type Payload = Static<typeof Payload>;
const payloadSchema = Compile(Payload);

/** Format: `<kid>.<payload>.<mac>`, in base64url. The token names no algorithm, which rules out algorithm confusion. */
export function makeTokens({ keys, audience, policy }: TokenOptions): Tokens {
  const ring = keys.map(signingKey);
  const [current] = ring;
  if (current === undefined) throw new Error('WebSocket tokens need at least one key');
  return {
    mint: ({ userId, sessionId, integrationIds, endsAt, now }) => {
      const issuedAt = Math.floor(now / 1000);
      const expiresAt = issuedAt + policy.tokenLifetimeMs / 1000;
      const payload: Payload = {
        v: 1,
        sub: userId,
        sid: sessionId,
        int: encodeIds(integrationIds, policy),
        iat: issuedAt,
        exp: expiresAt,
        ...(endsAt === undefined ? {} : { end: Math.floor(endsAt.getTime() / 1000) }),
        jti: randomBytes(16).toString('base64url'),
        aud: audience,
      };
      const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
      return {
        token: `${current.kid}.${body}.${macOf(current, body)}`,
        expiresAt: new Date(expiresAt * 1000).toISOString(),
      };
    },
    verify: (token, now) => {
      const body = authenticBody(token, ring, policy);
      const payload = body === undefined ? undefined : parsePayload(body);
      if (payload === undefined || payload.aud !== audience) return undefined;
      const isTimely =
        payload.exp * 1000 + policy.tokenLeewayMs > now && payload.iat * 1000 - policy.tokenLeewayMs <= now;
      const integrationIds = decodeIds(payload.int);
      if (!isTimely || integrationIds === undefined || !isUuid(payload.sub)) return undefined;
      return {
        userId: payload.sub,
        sessionId: payload.sid,
        integrationIds,
        jti: payload.jti,
        issuedAt: new Date(payload.iat * 1000),
        expiresAt: new Date(payload.exp * 1000),
        endsAt: payload.end === undefined ? undefined : new Date(payload.end * 1000),
      };
    },
  };
}

/** Returns the payload if the MAC is valid. A forged token is never parsed. */
function authenticBody(
  token: string,
  ring: readonly SigningKey[],
  policy: RealtimePolicy,
): string | undefined {
  if (token.length > policy.tokenMaxLength) return undefined;
  const [kid, body, mac, ...rest] = token.split('.');
  if (body === undefined || mac === undefined || rest.length > 0) return undefined;
  const signer = ring.find((candidate) => candidate.kid === kid);
  if (signer === undefined) return undefined;
  // Compare text, because base64 can encode the same bytes in several ways.
  const [given, expected] = [Buffer.from(mac), Buffer.from(macOf(signer, body))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? body : undefined;
}

function parsePayload(body: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    return payloadSchema.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function signingKey(master: Buffer): SigningKey {
  const kid = createHash('sha256')
    .update('forgewatch/ws-token-kid')
    .update(master)
    .digest('base64url')
    .slice(0, 8);
  return { kid, key: deriveKey(master, `ws-token/${kid}`) };
}

/** The prefix separates tokens from other HMACs, such as webhook signatures. */
function macOf({ kid, key }: SigningKey, body: string): string {
  return createHmac('sha256', key).update(`ws-token/v1\n${kid}.${body}`).digest('base64url');
}

function encodeIds(ids: readonly string[], policy: RealtimePolicy): string[] | string {
  if (ids.length > policy.tokenMaxIds) return '*';
  if (ids.length <= policy.tokenListedIds) return [...ids];
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex').toString('base64url');
}

function decodeIds(ids: string[] | string): string[] | 'all' | undefined {
  if (ids === '*') return 'all';
  const list = typeof ids === 'string' ? unpackIds(ids) : ids;
  return list.every(isUuid) ? list : undefined;
}

function unpackIds(packed: string): string[] {
  const hex =
    Buffer.from(packed, 'base64url')
      .toString('hex')
      .match(/.{1,32}/g) ?? [];
  return hex.map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'));
}
