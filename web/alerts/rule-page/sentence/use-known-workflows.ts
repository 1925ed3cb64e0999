import { useQuery } from '@tanstack/react-query';
import type { KnownWorkflows } from '#contract/alerts/known-workflows.ts';
import { jsonQuery } from '../../../api/path-queries.ts';
import { rulesPath } from '../../alert-paths.ts';

/** What has run lately. */
export function useKnownWorkflows(integrationId: string) {
  const path = `${rulesPath(integrationId)}/known-workflows`;
  return useQuery({ ...jsonQuery<KnownWorkflows>(path), staleTime: 60_000 });
}
