import { queryOptions } from '@tanstack/react-query';
import type { Badge } from '#contract/integrations/badges.ts';
import { getJson } from '../api/client.ts';

export const badgesPath = (integrationId: string): string => `/api/integrations/${integrationId}/badges`;

export function badgesQuery(integrationId: string) {
  const path = badgesPath(integrationId);
  return queryOptions({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<{ items: Badge[] }>(path, signal)).items,
  });
}

/** Markdown that shows the badge and leads to the runs. */
export function markdownOf({ imageUrl, workflow, repository, branch }: Badge, integrationId: string): string {
  const runs = new URL(`/integrations/${integrationId}/runs`, imageUrl);
  runs.searchParams.set('workflow', workflow);
  runs.searchParams.set('repository', repository);
  if (branch !== null) runs.searchParams.set('branch', branch);
  // Brackets and backslashes would end the text.
  return `[![${workflow.replaceAll(/[[\]\\]/g, '\\$&')}](${imageUrl})](${runs.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
