import * as openid from 'openid-client';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';
import { makeSealedClaims } from '#platform/runtime/secrets/sealed-claims.ts';
import type { AccountRow } from './account-store.ts';
import { forgeAccount } from './accounts.ts';

export interface ForgeUpstreamOptions {
  /** Of the OpenID provider in front of the forge. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Where it sends people back to. */
  redirectUri: string;
  /** Web root of the forge: accounts of two forges are never the same person. */
  forgeUrl: string;
  masterKeys: readonly [Buffer, ...Buffer[]];
  fetch: typeof globalThis.fetch;
}

interface Begun {
  state: string;
  nonce: string;
  codeVerifier: string;
  [claim: string]: unknown;
}

/** What came of asking the forge who somebody is. */
type ForgeAnswer =
  | { kind: 'account'; account: AccountRow }
  | { kind: 'denied' }
  | { kind: 'failed'; cause: unknown };

/** The provider as a client of the one in front of the forge: people are who the forge says they are. */
export interface ForgeUpstream {
  /** Where the browser goes, and what it keeps until it is back. @throws when the upstream does not answer */
  begin(uid: string): Promise<{ url: string; kept: string }>;
  finish(answer: URLSearchParams, kept: string | undefined): Promise<ForgeAnswer>;
}

const signInSeconds = 600;

export function makeForgeUpstream(options: ForgeUpstreamOptions): ForgeUpstream {
  const { redirectUri, masterKeys } = options;
  const keys = masterKeys.map((key) => deriveKey(key, 'identity-provider/upstream'));
  const sealed = makeSealedClaims<Begun>(keys as [Buffer, ...Buffer[]], signInSeconds);
  let discovered: Promise<openid.Configuration> | undefined;
  const configuration = (): Promise<openid.Configuration> => {
    discovered ??= discover(options).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    begin: async (uid) => {
      const begun = {
        // The state leads back to the page that this browser's cookies belong to.
        state: `${uid}.${openid.randomState()}`,
        nonce: openid.randomNonce(),
        codeVerifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid',
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(begun.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, kept: await sealed.seal(begun) };
    },
    finish: async (answer, kept) => {
      const begun = kept === undefined ? undefined : await sealed.open(kept);
      if (begun === undefined) return { kind: 'failed', cause: new Error('this browser did not begin it') };
      if (answer.get('error') === 'access_denied') return { kind: 'denied' };
      try {
        return { kind: 'account', account: await exchange(await configuration(), answer, begun, options) };
      } catch (cause) {
        return { kind: 'failed', cause };
      }
    },
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
  fetch,
}: ForgeUpstreamOptions): Promise<openid.Configuration> {
  return openid.discovery(
    new URL(issuer),
    clientId,
    clientSecret,
    openid.ClientSecretPost(clientSecret),
    // It is reached on this very machine; what leaves it goes to the forge.
    { execute: [openid.allowInsecureRequests], [openid.customFetch]: fetch as openid.CustomFetch },
  );
}

async function exchange(
  config: openid.Configuration,
  answer: URLSearchParams,
  { state, nonce, codeVerifier }: Begun,
  { redirectUri, forgeUrl }: ForgeUpstreamOptions,
): Promise<AccountRow> {
  const url = new URL(redirectUri);
  url.search = answer.toString();
  const tokens = await openid.authorizationCodeGrant(config, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  const subject = tokens.claims()?.sub ?? '';
  return forgeAccount(forgeUrl, await openid.fetchUserInfo(config, tokens.access_token, subject));
}
