import type { Octokit } from '@octokit/core';
import { notTheForge } from '#server/forges/errors.ts';
import type { ForgeAccount } from '#server/forges/port.ts';

/** Classic tokens name their scopes in a header, fine-grained ones do not. Both name their expiry. */
export async function readGithubAccount(octokit: Octokit): Promise<ForgeAccount> {
  const { data, headers } = await octokit.request('GET /user');
  const { 'x-oauth-scopes': scopes, 'github-authentication-token-expiration': expiry } = headers as Record<
    string,
    string | undefined
  >;
  const at = Date.parse(expiry ?? '');
  const login: unknown = Object(data).login;
  if (typeof login !== 'string' || login === '') throw notTheForge();
  return {
    login: login.slice(0, 255),
    permissions: (scopes ?? '')
      .slice(0, 1000)
      .split(',')
      .map((scope) => scope.trim())
      .filter((scope) => scope !== ''),
    expiresAt: Number.isNaN(at) ? undefined : new Date(at),
  };
}
