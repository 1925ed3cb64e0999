import { queryOptions } from '@tanstack/react-query';
import type { NotificationRule } from '#contract/alerts/alerts.ts';
import { listQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';
import { rulesPath } from './alert-paths.ts';

export const rulesQuery = (integrationId: string) =>
  queryOptions({
    ...listQuery<NotificationRule>(rulesPath(integrationId)),
    refetchInterval: readEvery(30_000),
  });
