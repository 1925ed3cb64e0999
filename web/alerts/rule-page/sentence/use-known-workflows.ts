import { useQuery } from '@tanstack/react-query';
import type { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { jsonQuery } from '../../../api/path-queries.ts';
import { rulesPath } from '../../alert-paths.ts';

/** What has run lately. */
export const knownWorkflowsQuery = (integrationId: string) => ({
  ...jsonQuery<KnownWorkflows>(`${rulesPath(integrationId)}/known-workflows`),
  staleTime: 60_000,
});

export function useKnownWorkflows(integrationId: string) {
  return useQuery(knownWorkflowsQuery(integrationId));
}
