import type { EventEmitter } from 'node:events';
import type { JWK, Provider as OidcProvider } from 'oidc-provider';
import type { Log } from '#platform/runtime/log.ts';
import { providerConfiguration, type ConfigurationOptions } from './configuration.ts';
import { errors, Provider } from './library.ts';

/** The library's provider with one set of keys. */
export interface RunningProvider {
  provider: OidcProvider;
  answer: ReturnType<OidcProvider['callback']>;
  /** Whether the sign-in of a page has expired or belongs to another browser. */
  isEnded(error: unknown): boolean;
}

/** The library fixes its keys at construction, so each rotation makes a new provider. Its state is in the database. */
export function makeProvider(options: ConfigurationOptions, keys: readonly JWK[], log: Log): RunningProvider {
  const provider = new Provider(options.issuer, providerConfiguration(options, keys));
  // The library builds URLs from request headers; `mount.ts` overwrites them with the configured host.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) =>
    log.error({ err: error }, 'built-in identity provider failed'),
  );
  (provider as EventEmitter).on('error', (error: unknown) =>
    log.warn({ err: error }, 'built-in identity provider refused a request'),
  );
  return {
    provider,
    answer: provider.callback(),
    isEnded: (error) => error instanceof errors.SessionNotFound,
  };
}
