/** The address of the pull requests; also the first part of the keys of their queries. */
export const pullRequestsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/pull-requests`;

/** Without a connection for live updates pull requests are read this often. */
export const askEveryMs = 30_000;
