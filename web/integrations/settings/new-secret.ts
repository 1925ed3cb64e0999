/** Secrets that the server showed once, for as long as this page is not left: nowhere else are they kept. */
const secrets = new Map<string, string>();

export function keepNewSecret(integrationId: string, secret: string): void {
  secrets.set(integrationId, secret);
}

export function newSecretOf(integrationId: string): string | undefined {
  return secrets.get(integrationId);
}
