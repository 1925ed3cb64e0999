import type { Octokit } from '@octokit/core';
import type { ForgeKind } from '#contract/integrations/forge-connection.ts';
import { fetchThroughGuard } from '#platform/http/outgoing/fetch-through-guard.ts';
import type { GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import type { Log } from '#platform/runtime/log.ts';
import type { ForgeGate, Priority } from '#server/forges/budget/forge-gate.ts';
import { callTimeoutMs, gatedFetch, type ForgeFetch } from '#server/forges/budget/gated-fetch.ts';
import { gatedLog } from '#server/forges/budget/gated-log.ts';
import { makeGiteaForge } from '#server/forges/gitea/gitea-forge.ts';
import { makeGithubForge } from '#server/forges/github/github-forge.ts';
import { isLastPage, withForgeErrors } from '#server/forges/github/octokit-calls.ts';
import type { Forge, LogExtent } from '#server/forges/port.ts';
import { readLog } from '#server/forges/read-log.ts';

export interface AccessToken {
  forge: ForgeKind;
  /** The web address of the forge. */
  url: string;
  token: string;
}

export interface TokenForgeDeps {
  gate: ForgeGate;
  priority: Priority;
  guardedFetch: GuardedFetch;
  log: Log;
  /** Its name at the gate. */
  connection: string;
}

const maxAnswerBytes = 16 * 1024 * 1024;

export function makeTokenForge(
  { gate, priority, guardedFetch, log, connection }: TokenForgeDeps,
  { forge, url, token }: AccessToken,
): Forge {
  const apiUrl = apiUrlOf(forge, url);
  const throughGuard = fetchThroughGuard(guardedFetch, { maxBytes: maxAnswerBytes, totalMs: callTimeoutMs });
  const fetch = gatedFetch(gate, connection, priority, throughGuard);
  const calls = {
    ask: askWith({ apiUrl, token, fetch, log }),
    readLog: (path: string, extent?: LogExtent) =>
      gatedLog(gate, connection, priority, () =>
        readLog(guardedFetch, apiUrl + path, `token ${token}`, extent),
      ),
  };
  if (forge !== 'github') return makeGiteaForge({ kind: forge, ...calls });
  return makeGithubForge({
    ...calls,
    listRepositories: async (octokit, page) => {
      const { data, headers } = await octokit.request('GET /user/repos', {
        sort: 'pushed',
        page,
        per_page: 100,
      });
      return {
        items: (Array.isArray(data) ? data : []).map(({ disabled = false, ...repository }) => ({
          ...repository,
          disabled,
        })),
        isLast: isLastPage(headers),
      };
    },
  });
}

/** The root of the REST API of a forge. `url` is its web address. */
export function apiUrlOf(forge: ForgeKind, url: string): string {
  const root = url.replace(/\/+$/, '');
  if (forge !== 'github') return `${root}/api/v1`;
  return new URL(root).hostname === 'github.com' ? 'https://api.github.com' : `${root}/api/v3`;
}

/** The library adds the token to each call and removes it from errors. It is loaded by the first one. */
function askWith({
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
