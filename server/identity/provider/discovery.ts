import type * as openid from 'openid-client';
import type { Log } from '#platform/runtime/log.ts';
import { retry } from '#platform/runtime/tasks/retry.ts';
import type { Service } from '#platform/runtime/service.ts';
import { discoverProvider, UnusableProvider, type ProviderOptions } from './metadata.ts';

const discoveryBackOff = { firstMs: 400, longestMs: 30_000 };

export interface BackgroundDiscovery {
  service: Service;
  known(): openid.Configuration | undefined;
  metadata(): openid.ServerMetadata | undefined;
  config(): Promise<openid.Configuration>;
}

/** Retries discovery in the background. A caller that needs the provider does not wait for the next retry. */
export function discoverInBackground(options: ProviderOptions, log: Log): BackgroundDiscovery {
  const { issuer } = options;
  const stopping = new AbortController();
  let known: openid.Configuration | undefined;
  let metadata: openid.ServerMetadata | undefined;
  let attempt: Promise<openid.Configuration> | undefined;
  let retrying: Promise<void> = Promise.resolve();

  const config = async (): Promise<openid.Configuration> => {
    if (known !== undefined) return known;
    attempt ??= discoverProvider(options).finally(() => {
      attempt = undefined;
    });
    known = await attempt;
    metadata = known.serverMetadata();
    return known;
  };

  const discoverLater = (): Promise<void> =>
    retry(config, {
      backOff: discoveryBackOff,
      signal: stopping.signal,
      waitsFirst: true,
      onFailure: (error) => {
        if (error instanceof UnusableProvider) log.error({ err: error }, 'identity provider unusable');
      },
    }).then(
      () => log.info({ issuer }, 'identity provider available'),
      () => {},
    );

  return {
    known: () => known,
    metadata: () => metadata,
    config,
    service: {
      name: 'identity provider client',
      start: async () => {
        try {
          await config();
        } catch (error) {
          if (error instanceof UnusableProvider) throw error;
          log.warn({ err: error, issuer }, 'identity provider unavailable: sign-in fails until it answers');
          retrying = discoverLater();
        }
      },
      stop: async () => {
        stopping.abort();
        await retrying;
      },
    },
  };
}
