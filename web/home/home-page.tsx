import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import CircleCheck from 'lucide-react/icons/circle-check';
import { useEffect } from 'react';
import type { Home } from '#contract/integrations/home.ts';
import { AccountLink } from '../identity/account-link.tsx';
import { OfferedInvitations } from '../members/invitations/offered-invitations.tsx';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { useRowKeys } from '../ui/keyboard/use-row-keys.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { useSmoothMoves } from '../ui/page/smooth-moves.ts';
import { PlainPage } from '../ui/page/plain-page.tsx';
import { clip } from '../ui/text/clip.ts';
import { HomeList } from './home-list.tsx';
import { homeQuery } from './home-query.ts';
import { incidentRow, pullRequestRow, redRow, runRow, type NameOf } from './home-rows.tsx';
import { IntegrationLines } from './integration-lines.tsx';
import { useLive } from '../api/live/live.tsx';
import type { LiveUpdates } from '../api/live/live-updates.ts';

/** A storm of updates in any integration reads home this often. */
const pauseMs = 3000;

/** Reads home again when something happens in one of the integrations. */
function useLiveHome(integrationIds: readonly string[]): void {
  const live = useLive();
  const client = useQueryClient();
  const ids = integrationIds.join();
  useEffect(() => follow(live, client, ids === '' ? [] : ids.split(',')), [live, client, ids]);
}

function follow(live: LiveUpdates, client: QueryClient, ids: readonly string[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: homeQuery.queryKey }, { cancelRefetch: false });
    }, pauseMs);
  };
  const listener = {
    onUpdates: readSoon,
    onResync: readSoon,
    onIncidents: readSoon,
    onPullRequests: readSoon,
    // The first answer is older than the connection.
    onConnected: readSoon,
  };
  const stops = ids.map((id) => live.listen(id, listener));
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

/** What concerns the reader in all integrations, then the state of each. */
export function HomePage() {
  const reading = useQuery(homeQuery);
  const moves = useSmoothMoves();
  useLiveHome(reading.data?.integrations.map(({ integrationId }) => integrationId) ?? []);
  return (
    <PlainPage
      title="Home"
      isWide
      end={
        <>
          <ConnectionMark />
          <AccountLink />
        </>
      }
    >
      <div ref={moves}>
        <Loaded reading={reading} what="start page" skeletonRows={12}>
          {(home) => <Content home={home} />}
        </Loaded>
      </div>
    </PlainPage>
  );
}

function Content({ home }: { home: Home }) {
  const list = useRowKeys();
  const { waiting, failed, running, pullRequests, red, integrations, isComplete } = home;
  const nameOf: NameOf = (integrationId) =>
    integrations.length < 2
      ? null
      : (integrations.find((one) => one.integrationId === integrationId)?.label ?? null);
  const nothing = [waiting, failed, running, pullRequests, red].every(({ length }) => length === 0);
  return (
    <div ref={list} className="-mx-4 grid gap-x-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="min-w-0">
        <div className="px-4">
          <OfferedInvitations />
        </div>
        {nothing && (
          <p className="flex items-center gap-2 px-4 pt-8">
            <CircleCheck size={15} aria-hidden className="text-passed" />
            Nothing waits for you, and no default branch is red.
          </p>
        )}
        <HomeList title="Waits for me" rows={waiting.map((each) => incidentRow(each, nameOf))} />
        <HomeList title="My failed runs" rows={failed.map((each) => runRow(each, nameOf))} />
        <HomeList title="My running runs" rows={running.map((each) => runRow(each, nameOf))} />
        <HomeList title="My pull requests" rows={pullRequests.map((each) => pullRequestRow(each, nameOf))} />
        <HomeList title="Red default branches" rows={red.map((each) => redRow(each, nameOf))} />
        <OwnRunsNote forgeLogin={home.forgeLogin} />
      </div>
      <div className="min-w-0">
        <IntegrationLines integrations={integrations} />
        {!isComplete && (
          <p className="px-4 py-2 text-muted">
            You belong to more integrations. Open the others in the command palette.
          </p>
        )}
      </div>
    </div>
  );
}

/** Whose runs are listed, or why none are. */
function OwnRunsNote({ forgeLogin }: { forgeLogin: string | null }) {
  return (
    <p data-moves className="px-4 pt-6 text-xs text-muted">
      {forgeLogin === null ? (
        <>
          Your account at the forge is not known. Sign in with the forge to see your runs and pull requests
          here.
        </>
      ) : (
        <>
          Your runs and pull requests are those of <bdi>{clip(forgeLogin, 100)}</bdi> at the forge.
        </>
      )}
    </p>
  );
}
