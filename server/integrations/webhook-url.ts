/** The URL to which the forge sends the integration's webhooks. */
export function webhookUrl(publicUrl: string, integrationId: string): string {
  return `${publicUrl}/api/import/${integrationId}`;
}
