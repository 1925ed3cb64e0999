import { createHash, randomBytes } from 'node:crypto';
import { makeSealedClaims } from '#platform/runtime/secrets/sealed-claims.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { makeForgeClient } from '#server/forge-sign-in/forge-client.ts';
import type { AccountRow } from './account-store.ts';
import { forgeAccount } from './accounts.ts';

/** The path where the forge sends people back to. */
export const forgeCallbackPath = '/api/auth/callback/forge';

export interface ForgeUpstreamOptions {
  publicUrl: string;
  clientId: string;
  clientSecret: string;
  /** Web root of the forge. It is part of an account's key, because two forges may use the same number. */
  forgeUrl: string;
  forgeApiUrl: string;
  masterKeys: readonly [Buffer, ...Buffer[]];
}

interface Started {
  /** Identifies the sign-in. The forge gets it as `state`. */
  uid: string;
  codeVerifier: string;
  [claim: string]: unknown;
}

type ForgeAnswer =
  | { kind: 'account'; account: AccountRow }
  | { kind: 'denied' }
  | { kind: 'failed'; cause: unknown };

/** Signs people in through the forge's OAuth. */
export interface ForgeUpstream {
  /** Returns the forge's URL, and the value to keep in a cookie until the forge answers. */
  begin(uid: string): Promise<{ url: string; kept: string }>;
  /**
   * Reads the forge's answer. The cookie is checked before the code is used: otherwise an attacker could start a sign-in, let
   * somebody else follow the link to the forge, and be signed in as that person.
   * @throws AppError `invalid_state` when this browser did not start the sign-in
   */
  finish(answer: URLSearchParams, kept: string | undefined): Promise<ForgeAnswer>;
}

const signInSeconds = 600;

export function makeForgeUpstream(options: ForgeUpstreamOptions): ForgeUpstream {
  const { publicUrl, forgeUrl, masterKeys } = options;
  const forge = makeForgeClient({ ...options, redirectUri: publicUrl + forgeCallbackPath });
  const sealed = makeSealedClaims<Started>(masterKeys, 'identity-provider/upstream', signInSeconds);
  return {
    begin: async (uid) => {
      const codeVerifier = randomBytes(32).toString('base64url');
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
      return {
        url: forge.authorizeUrl({ state: uid, codeChallenge }),
        kept: await sealed.seal({ uid, codeVerifier }),
      };
    },
    finish: async (answer, kept) => {
      const started = kept === undefined ? undefined : await sealed.open(kept);
      const [state, ...otherStates] = answer.getAll('state');
      const [code, ...otherCodes] = answer.getAll('code');
      if (started === undefined || started.uid !== state || otherStates.length + otherCodes.length > 0)
        throw new AppError('invalid_state', {
          detail: 'The sign-in was started in another browser or more than ten minutes ago. Start again.',
        });
      if (answer.get('error') === 'access_denied') return { kind: 'denied' };
      try {
        const token = await forge.exchangeCode({ code: code ?? '', codeVerifier: started.codeVerifier });
        const profile = token && (await forge.readProfile(token.accessToken));
        if (profile === undefined) return { kind: 'failed', cause: new Error('the forge refused the code') };
        return { kind: 'account', account: forgeAccount(forgeUrl, profile) };
      } catch (cause) {
        return { kind: 'failed', cause };
      }
    },
  };
}
