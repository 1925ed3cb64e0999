import { useQuery } from '@tanstack/react-query';
import type { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { getJson } from '../../../api/client.ts';
import { rulesPath } from '../../alert-paths.ts';

/** What has run lately. */
export function useKnownWorkflows(integrationId: string) {
  const path = `${rulesPath(integrationId)}/known-workflows`;
  return useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => getJson<KnownWorkflows>(path, signal),
    staleTime: 60_000,
  });
}
