import { setTimeout as delay } from 'node:timers/promises';
import type * as openid from 'openid-client';
import type { Log } from '#platform/runtime/log.ts';
import type { Service } from '#platform/runtime/service.ts';
import { discoverProvider, UnusableProvider, type ProviderOptions } from './metadata.ts';

const firstRetryMs = 200;
const longestRetryMs = 30_000;

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

  const retry = async (): Promise<void> => {
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const failure = await config().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return log.info({ issuer }, 'the identity provider answers');
      if (failure instanceof UnusableProvider) log.error({ err: failure }, 'nobody can sign in');
    }
  };

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
          log.warn(
            { err: error, issuer },
            'the identity provider does not answer; nobody can sign in until it does',
          );
          retrying = retry();
        }
      },
      stop: async () => {
        stopping.abort();
        await retrying;
      },
    },
  };
}
