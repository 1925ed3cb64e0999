import type { Octokit } from '@octokit/core';
import type { Log } from '#platform/runtime/log.ts';
import type { ForgeFetch } from '#server/forges/budget/gated-fetch.ts';
import { withForgeErrors } from '#server/forges/github/octokit-calls.ts';

/** Calls a REST API with an access token. The library adds the token to each call and removes it from errors. */
export function makeTokenCalls({
  apiUrl,
  token,
  fetch,
  log,
}: {
  apiUrl: string;
  token: string;
  fetch: ForgeFetch;
  log: Log;
}): <T>(use: (octokit: Octokit) => Promise<T>) => Promise<T> {
  const connect = async (): Promise<Octokit> => {
    const { Octokit } = await import('@octokit/core');
    return new Octokit({
      baseUrl: apiUrl,
      auth: token,
      userAgent: 'forgewatch',
      log: { debug: () => {}, info: () => {}, warn: (text: string) => log.warn(text), error: () => {} },
      request: { fetch },
    });
  };
  let octokit: Promise<Octokit> | undefined;
  return (use) => withForgeErrors(async () => use(await (octokit ??= connect())));
}
