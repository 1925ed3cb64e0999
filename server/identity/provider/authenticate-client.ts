import * as openid from 'openid-client';
import type { BackgroundDiscovery } from './discovery.ts';
import { isInvalidClient } from './faults.ts';
import { configurationOf, type ProviderOptions } from './metadata.ts';

/** Sends a request that authenticates this client to the provider. */
export type AuthenticatedRequest = <T>(ask: (config: openid.Configuration) => Promise<T>) => Promise<T>;

/**
 * Sends the secret in HTTP Basic, percent-encoded as in RFC 6749. Gitea does not decode it and answers `invalid_client`. Then the
 * request is repeated with the secret in its body. The process remembers which way worked.
 */
export function makeAuthenticatedRequest(
  provider: Pick<BackgroundDiscovery, 'config'>,
  options: ProviderOptions,
): AuthenticatedRequest {
  let inBody: openid.Configuration | undefined;
  return async (ask) => {
    if (inBody !== undefined) return ask(inBody);
    const config = await provider.config();
    try {
      return await ask(config);
    } catch (error) {
      const other = isInvalidClient(error) ? withSecretInBody(config.serverMetadata(), options) : undefined;
      if (other === undefined) throw error;
      try {
        const answer = await ask(other);
        inBody = other;
        return answer;
      } catch (second) {
        // An answer about the code or the refresh token means that the client was accepted.
        if (second instanceof openid.ResponseBodyError && !isInvalidClient(second)) inBody = other;
        throw second;
      }
    }
  };
}

/** Undefined without a secret, or if the provider does not support both ways of sending it. */
function withSecretInBody(
  metadata: openid.ServerMetadata,
  options: ProviderOptions,
): openid.Configuration | undefined {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const isOpen =
    methods === undefined ||
    ['client_secret_basic', 'client_secret_post'].every((each) => methods.includes(each));
  if (options.clientSecret === undefined || !isOpen) return undefined;
  return configurationOf(metadata, options, openid.ClientSecretPost(options.clientSecret));
}
