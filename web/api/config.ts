import { queryOptions, useQuery } from '@tanstack/react-query';
import type { PublicConfig } from '#contract/members/identity.ts';
import { jsonQuery } from './path-queries.ts';

/** The public configuration of the server. It does not change while the page is open. */
export const configQuery = queryOptions({ ...jsonQuery<PublicConfig>('/config.json'), staleTime: Infinity });

export function useConfig(): PublicConfig | undefined {
  return useQuery(configQuery).data;
}
