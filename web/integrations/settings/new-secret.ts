/** Secrets that the server showed once, kept in memory until the page is reloaded. */
const secrets = new Map<string, string>();

export function keepNewSecret(integrationId: string, secret: string): void {
  secrets.set(integrationId, secret);
}

export function newSecretOf(integrationId: string): string | undefined {
  return secrets.get(integrationId);
}
