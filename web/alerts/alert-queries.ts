import { queryOptions } from '@tanstack/react-query';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { readAll } from '../api/read-all.ts';

export const rulesPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/notification-rules`;

export const incidentsPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/incidents`;

export const rulesQuery = (integrationId: string) =>
  queryOptions({
    queryKey: [rulesPath(integrationId)],
    queryFn: ({ signal }) => readAll<NotificationRule>(rulesPath(integrationId), signal),
    refetchInterval: 30_000,
  });
