import { queryOptions } from '@tanstack/react-query';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { readAll } from '../api/read-all.ts';
import { readEvery } from '../api/read-every.ts';
import { rulesPath } from './alert-paths.ts';

export const rulesQuery = (integrationId: string) =>
  queryOptions({
    queryKey: [rulesPath(integrationId)],
    queryFn: ({ signal }) => readAll<NotificationRule>(rulesPath(integrationId), signal),
    refetchInterval: readEvery(30_000),
  });
