import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError, isWorthRetrying } from '../api/problem.ts';
import { browserUpdates, LiveProvider } from '../api/live/live.tsx';
import { loadPartsWhenIdle } from '../api/load-part.ts';
import { dropIntegration, integrationsQuery } from '../integrations/integrations-query.ts';
import { leaveWhatIsLost } from './shell/leave-integration.ts';
import { Notices } from './shell/notices.tsx';
import { router } from './router.tsx';

const keepMs = 30 * 60_000;

/**
 * Without a network everything is tried all the same: what fails says so. Else pages would wait without a word, and what
 * somebody gave up, such as a deletion, would be done behind their back once the network is there again.
 */
const client = new QueryClient({
  queryCache: new QueryCache({ onError: refused }),
  mutationCache: new MutationCache({ onError: refused }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
      retryDelay: retryDelayMs,
      // What was seen is shown again without a network.
      gcTime: keepMs,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Half a second, then a whole one: after that a person decides. */
function retryDelayMs(failures: number): number {
  return 500 * 2 ** failures;
}

/** The person's role is another than the page went by, or they have none any more. One look answers all that are refused. */
function refused(error: Error): void {
  if (!(error instanceof ApiError) || error.code !== 'insufficient_role') return;
  void client.invalidateQueries({ queryKey: integrationsQuery.queryKey }, { cancelRefetch: false });
}

const live = browserUpdates({
  onMembershipsChanged: () => void client.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
  onRevoked: (integrationId) => void dropIntegration(client, integrationId),
});

leaveWhatIsLost(client, router);

export function App() {
  useEffect(() => void loadPartsWhenIdle(), []);
  return (
    <QueryClientProvider client={client}>
      <LiveProvider live={live}>
        <div className="flex h-dvh flex-col">
          <Notices />
          <div className="min-h-0 grow">
            <RouterProvider router={router} />
          </div>
        </div>
      </LiveProvider>
    </QueryClientProvider>
  );
}
