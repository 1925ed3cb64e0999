import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { session } from '../api/session/browser-session.ts';
import { userQuery } from './use-user.ts';

/** Somebody else may sign in in another tab: what this one shows is then not theirs, and is loaded anew. */
export function useSamePerson(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      session.onSignInElsewhere(() => {
        const before = client.getQueryData(userQuery.queryKey);
        if (before === undefined) return;
        client.fetchQuery({ ...userQuery, staleTime: 0 }).then(
          (now) => {
            if (now.userId !== before.userId) location.reload();
          },
          () => {
            // Whoever it is, the next request tells.
          },
        );
      }),
    [client],
  );
}
