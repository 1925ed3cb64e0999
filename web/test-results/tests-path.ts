export const testsPath = (integrationId: string): string => `/api/integrations/${integrationId}/tests`;
