const key = 'forgewatch.integration';

/** The integration that was last open in this browser. */
export function lastIntegration(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberIntegration(integrationId: string): void {
  try {
    localStorage.setItem(key, integrationId);
  } catch {
    // Storage may be disabled; the first integration opens then.
  }
}
