import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { session } from '../api/session/browser-session.ts';
import { userQuery } from './use-user.ts';

/** Reloads this tab when another person signs in in another tab. */
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
            // The next request shows who is signed in.
          },
        );
      }),
    [client],
  );
}
