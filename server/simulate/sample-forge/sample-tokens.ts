import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '#platform/runtime/secrets/keys.ts';

export interface SampleTokens {
  tokenOf(integrationId: string): string;
  /** The integration of the token in the header; undefined for another token. */
  read(authorization: string | undefined): string | undefined;
}

const scheme = 'token ';

/** Tokens of integrations for the forge of the sample traffic. They are the same after a restart. */
export function makeSampleTokens(masterKeys: readonly [Buffer, ...Buffer[]]): SampleTokens {
  const keys = masterKeys.map((key) => deriveKey(key, 'sample-forge/token')) as [Buffer, ...Buffer[]];
  const sign = (key: Buffer, integrationId: string): string =>
    `${integrationId}.${createHmac('sha256', key).update(integrationId).digest('base64url')}`;
  return {
    tokenOf: (integrationId) => sign(keys[0], integrationId),
    read: (authorization = '') => {
      if (!authorization.startsWith(scheme)) return undefined;
      const token = Buffer.from(authorization.slice(scheme.length));
      const [integrationId = ''] = token.toString().split('.', 1);
      const isGenuine = keys.some((key) => {
        const expected = Buffer.from(sign(key, integrationId));
        return expected.length === token.length && timingSafeEqual(expected, token);
      });
      return isGenuine ? integrationId : undefined;
    },
  };
}
