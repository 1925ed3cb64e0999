import { Type, type Static } from 'typebox';
import { RoleName } from '../integrations/integrations.ts';
import { nullable, Time, Uuid, strictObject } from '../base/schema.ts';

export const User = Type.Object({
  userId: Uuid,
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  picture: nullable(Type.String()),
  forgeLogin: nullable(Type.String()),
  /** Whether `WHO_MAY_CREATE` names them; `INTEGRATIONS_PER_PERSON` may still stand in the way. */
  mayCreateIntegrations: Type.Boolean(),
  memberships: Type.Array(Type.Object({ integrationId: Uuid, label: Type.String(), role: RoleName })),
});
export type User = Static<typeof User>;

/** Token for one handshake; the connection may outlive it. */
export const WsToken = Type.Object({ token: Type.String(), expiresAt: Time, url: Type.String() });
export type WsToken = Static<typeof WsToken>;

/**
 * What the web app remembers of a sign-in it began: base64url of this JSON, in a cookie of this name that only the
 * callback is sent. `n` is also in `state`, the other two are OpenID's nonce and PKCE's code verifier.
 */
export interface SignInCookie {
  n: string;
  nonce: string;
  codeVerifier: string;
}
export const signInCookieName = 'signIn';
export const signInCookiePath = '/api/auth/callback';

/**
 * The key of the demo sign-in, as the web app took it from the address that was printed at start. A cookie of this name
 * that only the page of the demo sign-in is sent.
 */
export const demoKeyCookieName = 'demoKey';
export const demoKeyCookiePath = '/oidc/interaction';

/** Header of the answer to sign-out: where the browser ends the session at the identity provider too. */
export const signOutUrlHeader = 'x-sign-out-url';

export const SignOutBody = strictObject({ everywhere: Type.Optional(Type.Boolean()) });

export const RefreshedSession = Type.Object({
  /** Seconds until the new tokens expire. */
  expiresIn: Type.Integer(),
});

/** Settings that the web app needs before sign-in. */
export const PublicConfig = Type.Object({
  forgeName: Type.String(),
  forgeUrl: Type.String(),
  publicUrl: Type.String(),
  wsUrl: Type.String(),
  version: Type.String(),
  clientId: nullable(Type.String()),
  /**
   * Where sign-in begins; the web app adds `state`, `nonce`, `code_challenge` and `code_challenge_method=S256`. Null
   * while the identity provider does not answer.
   */
  authorizeUrl: nullable(Type.String()),
  /** Whether the demo sign-in is offered, with the key that is printed at start. */
  demo: Type.Boolean(),
  /** Retention in days, for all integrations. */
  retention: Type.Object({
    /** Null for good. */
    runDays: nullable(Type.Integer()),
    /** With their bodies. */
    deliveryDays: Type.Integer(),
    deadLetterDays: Type.Integer(),
  }),
});
export type PublicConfig = Static<typeof PublicConfig>;
