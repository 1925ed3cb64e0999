import { createHmac } from 'node:crypto';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import { makeSigningKeys, type SigningKeys } from '#server/signing-keys/signing-keys.ts';
import { makeForgeClient, type ForgeClient } from './forge-client.ts';
import { makeSealedClaims, type SealedClaims } from '#platform/runtime/secrets/sealed-claims.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';

export interface ForgeSignInDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'config' | 'sealer'> {
  masterKeys: readonly [Buffer, ...Buffer[]];
}

/** The client's request, kept in the browser while the person signs in at the forge. */
export interface Asked {
  state: string;
  nonce: string | undefined;
  codeChallenge: string | undefined;
  [claim: string]: unknown;
}

/** The content of our authorization codes. Names are short, because a code has at most 512 characters. */
export interface CodeClaims {
  /** The forge's code. */
  c: string;
  /** The state sent to the forge. The PKCE verifier is derived from it. */
  s: string;
  /** Nonce for the ID token. */
  n?: string;
  /** The client's own PKCE challenge. */
  h?: string;
  [claim: string]: unknown;
}

/** Wraps the forge's OAuth as an OpenID provider for Amazon Cognito. */
export interface ForgeSignIn extends Pick<SharedDeps, 'log' | 'clock'> {
  issuer: string;
  /** Clients authenticate with the credentials of the forge's OAuth application. */
  client: { id: string; secret: string };
  /** The only redirect URI that is allowed. */
  redirectUri: string;
  forge: ForgeClient;
  keys: SigningKeys;
  asked: SealedClaims<Asked>;
  codes: SealedClaims<CodeClaims>;
  /** The PKCE verifier for the forge, derived from the state, so that nothing is stored. */
  verifierOf(state: string): string;
  /** Page of the web app that explains a failed sign-in. */
  failurePage(code: string): string;
}

export const prefix = '/api/auth/cognito/';

const askedSeconds = 600;
const codeSeconds = 120;

/** Undefined unless FORGE_CLIENT_ID and COGNITO_REDIRECT_URL are set. */
export function makeForgeSignIn(deps: ForgeSignInDeps): ForgeSignIn | undefined {
  const { config, masterKeys, log, clock } = deps;
  const { publicUrl, forgeClientId: id, forgeClientSecret: secret, cognitoRedirectUrl: redirectUri } = config;
  if (id === undefined || secret === undefined || redirectUri === undefined) return undefined;
  const issuer = `${publicUrl}${prefix.slice(0, -1)}`;
  const verifierKey = deriveKey(masterKeys[0], 'forge-sign-in/verifier');
  return {
    issuer,
    log,
    clock,
    client: { id, secret },
    redirectUri,
    forge: makeForgeClient({
      ...config,
      clientId: id,
      clientSecret: secret,
      redirectUri: `${issuer}/callback`,
    }),
    keys: makeSigningKeys(deps, 'forge-sign-in'),
    asked: makeSealedClaims(masterKeys, 'forge-sign-in/asked', askedSeconds),
    codes: makeSealedClaims(masterKeys, 'forge-sign-in/codes', codeSeconds),
    verifierOf: (state) => createHmac('sha256', verifierKey).update(state).digest('base64url'),
    failurePage: (code) => `${publicUrl}/sign-in?error=${code}`,
  };
}
