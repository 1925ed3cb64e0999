import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PublicConfig } from '#contract/members/identity.ts';
import { getJson } from './client.ts';

/** The public configuration of the server. It does not change while the page is open. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => getJson<PublicConfig>('/config.json', signal),
  staleTime: Infinity,
});

export function useConfig(): PublicConfig | undefined {
  return useQuery(configQuery).data;
}
