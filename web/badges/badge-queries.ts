import { queryOptions } from '@tanstack/react-query';
import { only } from '#contract/base/value-list.ts';
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

/** Markdown that shows the badge and leads to the runs whose state it shows. */
export function markdownOf({ imageUrl, workflow, repository, branch }: Badge, integrationId: string): string {
  const runs = new URL(`/integrations/${integrationId}/runs`, imageUrl);
  runs.searchParams.set('workflow', only(workflow));
  runs.searchParams.set('repository', only(repository));
  if (branch === null) runs.searchParams.set('branchClass', 'default');
  else runs.searchParams.set('branch', only(branch));
  // Brackets and backslashes would end the text.
  return `[![${workflow.replaceAll(/[[\]\\]/g, '\\$&')}](${imageUrl})](${runs.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
