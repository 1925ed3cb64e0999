import {
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { backOffMs } from '#contract/base/back-off.ts';
import { keepErrors } from '../api/keep-errors.ts';
import { ApiError, isWorthRetrying, retryAfter } from '../api/problem.ts';
import { browserUpdates, LiveProvider } from '../api/live/live.tsx';
import { loadPartsWhenIdle } from '../api/parts/load-part.ts';
import { dropIntegration, integrationsQuery } from '../integrations/integrations-query.ts';
import { leaveLostIntegrations } from './shell/leave-integration.ts';
import { readFirstPage } from './first-load/first-page.ts';
import { router } from './router.ts';
import { contact, useIsAway } from '../api/contact/browser-contact.ts';
import { reloadIfAnswered, useReloadReason, type ReloadReason } from '../api/parts/new-version.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/page/notice.tsx';
import { clockTime } from '../ui/time/exact-time.ts';

const reloadTitles: Record<ReloadReason, string> = {
  'new-version': 'A new version is installed.',
  'broken-part': 'The page could not be loaded because the connection failed.',
};

/** Shown below everything: the server is unreachable, or the page must be reloaded. */
function Notices() {
  const isAway = useIsAway();
  const reloadReason = useReloadReason();
  return (
    <output className="block">
      {isAway && (
        <Notice end={<Button onClick={() => void contact.check()}>Try again</Button>}>
          <strong className="font-semibold">
            Offline.{contact.heardAt !== undefined && ` Last update ${clockTime(contact.heardAt)}.`}
          </strong>{' '}
          <span className="text-muted">
            {navigator.onLine ? 'The server does not answer.' : 'This device has no network.'} This page
            continues when the connection is back.
          </span>
        </Notice>
      )}
      {reloadReason !== undefined && !isAway && (
        <Notice end={<Button onClick={() => void reloadIfAnswered()}>Reload</Button>}>
          <strong className="font-semibold">{reloadTitles[reloadReason]}</strong>{' '}
          <span className="text-muted">Reload to continue. Unsaved input will be lost: copy it first.</span>
        </Notice>
      )}
    </output>
  );
}

// The second click of a double click must find that a request is pending. By default, the page learns it with a timer.
notifyManager.setScheduler(queueMicrotask);

const keepMs = 30 * 60_000;

/** A query is repeated twice, and later when the server says when. Otherwise the person decides. */
const requestBackOff = { leastMs: 250, firstMs: 500, longestMs: 1000 };

/**
 * Requests are sent even when the browser reports to be offline, so that they fail with an error. Otherwise pages
 * would wait silently, and an abandoned action such as a deletion would run when the network is back.
 */
const client = new QueryClient({
  queryCache: new QueryCache({ onError: refused }),
  mutationCache: new MutationCache({ onError: refused }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
      retryDelay: (failures) => backOffMs(requestBackOff, failures),
      refetchInterval: ({ state }) => retryAfter(state.error),
      // Cached data is shown while offline.
      gcTime: keepMs,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});

keepErrors(client.getQueryCache());

/** The role of the person changed, or the person lost access. One reload serves all refused requests. */
function refused(error: Error): void {
  if (!(error instanceof ApiError) || error.code !== 'insufficient_role') return;
  void client.invalidateQueries({ queryKey: integrationsQuery.queryKey }, { cancelRefetch: false });
}

/** Resolves when the app can be rendered. */
export const ready: Promise<void> = readFirstPage(client, () => router.load());

const live = browserUpdates({
  onMembershipsChanged: () => void client.invalidateQueries({ queryKey: integrationsQuery.queryKey }),
  onRevoked: (integrationId) => void dropIntegration(client, integrationId),
});

leaveLostIntegrations(client, router);

export function App() {
  useEffect(() => void loadPartsWhenIdle(), []);
  return (
    <QueryClientProvider client={client}>
      <LiveProvider live={live}>
        <div className="flex h-dvh flex-col">
          <div className="min-h-0 grow">
            <RouterProvider router={router} />
          </div>
          <Notices />
        </div>
      </LiveProvider>
    </QueryClientProvider>
  );
}
