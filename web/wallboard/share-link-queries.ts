import { queryOptions } from '@tanstack/react-query';
import type { ShareLink } from '#contract/integrations/wallboard.ts';
import { getJson } from '../api/client.ts';

export const shareLinksPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/share-links`;

export function shareLinksQuery(integrationId: string) {
  const path = shareLinksPath(integrationId);
  return queryOptions({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<{ items: ShareLink[] }>(path, signal)).items,
  });
}
