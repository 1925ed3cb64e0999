import { queryOptions } from '@tanstack/react-query';
import type { TraceExportState } from '#contract/integrations/trace-export.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { readEvery } from '../api/read-every.ts';

export const tracesPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/trace-export`;

const askEveryMs = 5000;

export const tracesQuery = (integrationId: string) =>
  queryOptions({
    ...jsonQuery<TraceExportState>(tracesPath(integrationId)),
    select: ({ export: saved }) => saved,
    refetchInterval: readEvery(askEveryMs),
  });
