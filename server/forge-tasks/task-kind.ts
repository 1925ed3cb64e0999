import type { TaskKindName } from '#contract/integrations/tasks.ts';

/**
 * `forge-webhooks` keeps the webhooks of repositories up to date, `forge-history` reads runs of the past, `forge-unfinished` asks for
 * runs that never completed, `forge-logs` reads the logs of failed jobs, `forge-commits` the commits
 * between a success and a failure, `forge-artifacts` the reports of tests in artifacts, `forge-checks`
 * the checks that branches require.
 */
export type ForgeTaskKind = TaskKindName & `forge-${string}`;

/** Of an integration to a forge. */
export interface Connection {
  integrationId: string;
  /** Null for the access token of the integration. */
  installationId: string | null;
}

/** Null is the access token of the integration. */
export function keyOfConnection(installationId: string | null): string {
  return installationId ?? 'token';
}

export function installationOfKey(key: string): string | null {
  return key === 'token' ? null : key;
}
