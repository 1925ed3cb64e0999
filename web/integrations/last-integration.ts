import { readStored, store } from '../api/stored.ts';

const key = 'forgewatch.integration';

/** The integration that was last open in this browser. */
export function lastIntegration(): string | undefined {
  return readStored('localStorage', key);
}

export function rememberIntegration(integrationId: string): void {
  store('localStorage', key, integrationId);
}
