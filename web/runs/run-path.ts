export const runPath = ({
  integrationId,
  runId,
}: {
  integrationId: string;
  runId: number | string;
}): string => `/api/integrations/${integrationId}/workflows/${encodeURIComponent(runId)}`;
