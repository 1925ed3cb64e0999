/** The address of the failure groups; also the first part of the keys of their queries. */
export const groupsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/failure-groups`;
