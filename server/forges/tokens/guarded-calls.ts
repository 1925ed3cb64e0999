import { makeGuardedFetch, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Config } from '#platform/runtime/settings/config.ts';

/**
 * A forge that a person enters is reached like an alert channel, the forge of the operator and the one of the sample traffic at
 * any address.
 */
export function guardedFetchOf(
  config: Pick<Config, 'forgeUrl' | 'forgeApiUrl' | 'alertAllowedNetworks' | 'alertAllowedPorts'>,
  sampleForgeUrl: string | undefined,
): GuardedFetch {
  const { forgeUrl, forgeApiUrl, alertAllowedNetworks: allowedNetworks, alertAllowedPorts } = config;
  return makeGuardedFetch({
    allowedNetworks,
    allowedPorts: alertAllowedPorts,
    trustedOrigins: [forgeUrl, forgeApiUrl, sampleForgeUrl ?? forgeUrl].map((url) => new URL(url).origin),
    mayUseHttp: true,
    keepsConnections: true,
  });
}
