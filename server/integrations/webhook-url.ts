/** Where the forge posts this integration's events. */
export function webhookUrl(publicUrl: string, integrationId: string): string {
  return `${publicUrl}/api/import/${integrationId}`;
}
