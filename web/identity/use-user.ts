import { queryOptions, useQuery } from '@tanstack/react-query';
import type { User } from '#contract/members/identity.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { userPath } from './user-path.ts';

export const userQuery = queryOptions({ ...jsonQuery<User>(userPath), staleTime: 60_000 });

/** The signed-in person. */
export function useUser() {
  return useQuery(userQuery);
}

/** Whether this person may create integrations; undefined until loaded. The server has the final decision. */
export function useMayCreate(): boolean | undefined {
  const { data, isError } = useUser();
  return data?.mayCreateIntegrations ?? (isError || undefined);
}
