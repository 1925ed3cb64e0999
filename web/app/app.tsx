import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { isWorthRetrying } from '../api/problem.ts';
import { browserUpdates, LiveProvider } from '../api/live.tsx';
import { integrationsQuery } from '../integrations/integrations-query.ts';
import { leaveIfRemoved, leaveIntegration } from './leave-integration.ts';
import { router } from './router.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: (failures, error) => failures < 2 && isWorthRetrying(error), retryDelay: retryDelayMs },
  },
});

/** Half a second, then a whole one: after that a person decides. */
function retryDelayMs(failures: number): number {
  return 500 * 2 ** failures;
}

const live = browserUpdates({
  onMembershipsChanged: () => void client.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
  onRevoked: (integrationId) => void leaveIntegration(client, router, integrationId),
  onNotCarried: (integrationId) => void leaveIfRemoved(client, router, integrationId),
});

export function App() {
  return (
    <QueryClientProvider client={client}>
      <LiveProvider live={live}>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>
  );
}
