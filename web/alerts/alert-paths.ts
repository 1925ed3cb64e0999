export const rulesPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/notification-rules`;

export const incidentsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/incidents`;
