import { useQuery } from '@tanstack/react-query';
import Unlink from 'lucide-react/icons/unlink';
import { useEffect, useRef, useState } from 'react';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import type { Wall, Tile } from '#contract/integrations/wallboard.ts';
import { ApiError, problemOf } from '../api/problem.ts';
import { readEvery } from '../api/read-every.ts';
import { NoAccessMessage } from '../integrations/no-access.tsx';
import { Failure, Message } from '../ui/page/message.tsx';
import { useDocumentTitle } from '../ui/page/page-header.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { formatAgo, formatDuration } from '../ui/time/format-duration.ts';
import { secretOf, type WallSearch } from './wall-search.ts';

const answerWithinMs = 20_000;

/** @throws ApiError */
async function readWall(
  integrationId: string,
  search: WallSearch,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<Wall> {
  if (secret !== undefined) return readSharedWall(secret, signal);
  return getJson<Wall>(`/api/integrations/${integrationId}/wallboard${queryString({ ...search })}`, signal);
}

/** Without the session of a person who may be signed in. */
async function readSharedWall(secret: string, signal: AbortSignal): Promise<Wall> {
  const answer = await fetch('/api/shared-wallboard', {
    credentials: 'omit',
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
  });
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as Wall;
}

const everyMs = 5000;

/** The state of all workflows of an integration, for a large screen that nobody operates. */
export function WallPage({ integrationId, search }: { integrationId: string; search: WallSearch }) {
  const [secret] = useState(() => secretOf(location.hash));
  const wall = useQuery({
    queryKey: ['wallboard', integrationId, search, secret],
    queryFn: ({ signal }) => readWall(integrationId, search, secret, signal),
    refetchInterval: readEvery(everyMs),
    refetchIntervalInBackground: true,
    networkMode: 'always',
    retry: false,
  });
  const { data, error, dataUpdatedAt } = wall;
  useReloadAfterUpgrade(data?.version);
  useDocumentTitle(data === undefined ? 'Wallboard' : `${data.label} wallboard`);
  if (error instanceof ApiError && [401, 403, 404].includes(error.status))
    return (
      <main>
        <h1 className="sr-only">Wallboard</h1>
        {secret === undefined ? <NoAccessMessage /> : <NoLink integrationId={integrationId} error={error} />}
      </main>
    );
  if (data === undefined)
    return error === null ? (
      <output className="block p-6 text-muted">Loading the wallboard</output>
    ) : (
      <Failure title="The wallboard could not be loaded" error={error} onRetry={wall.refetch} />
    );
  return (
    <main className="flex min-h-full flex-col gap-[1.5vmin] p-[2vmin]">
      <Header wall={data} lostSince={error === null ? undefined : dataUpdatedAt} />
      {data.tiles.length === 0 ? (
        <Message title="No workflow has run on a default branch">
          <p className="text-muted">Workflows appear here as soon as the forge reports their runs.</p>
        </Message>
      ) : (
        <ul aria-label="Workflows" className="wall-tiles" data-size={sizeOf(data.tiles.length)}>
          {data.tiles.map((tile) => (
            <WallTile key={`${tile.repository} ${tile.workflow}`} tile={tile} at={data.at} />
          ))}
        </ul>
      )}
    </main>
  );
}

/** A share link that was revoked or copied in part. */
function NoLink({ integrationId, error }: { integrationId: string; error: ApiError }) {
  return (
    <Message
      title="This share link does not work"
      icon={<Unlink size={24} aria-hidden className="text-muted" />}
    >
      <p role="alert" className="text-muted">
        {error.message} Ask an admin of the integration for a new one. Members see the wallboard when they
        sign in.
      </p>
      <TextLink to="/sign-in" search={{ to: `/wall/${integrationId}` }}>
        Sign in
      </TextLink>
    </Message>
  );
}

function Header({ wall, lostSince }: { wall: Wall; lostSince: number | undefined }) {
  const failed = wall.tiles.filter(({ state }) => state === 'failed').length;
  return (
    <header className="flex flex-wrap items-baseline justify-between gap-x-6">
      <h1 className="wall-heading">
        <bdi>{wall.label}</bdi>
      </h1>
      <output className={`wall-heading ${failed > 0 ? 'text-failed' : 'text-passed'}`}>
        {failed > 0 ? `${failed} failed` : 'Nothing failed'}
      </output>
      {lostSince !== undefined && (
        <p role="alert" className="wall-heading text-running">
          No connection. Last update <TimeAgo time={new Date(lostSince).toISOString()} />
        </p>
      )}
    </header>
  );
}

/** Fewer workflows have larger tiles. */
function sizeOf(count: number): 'large' | 'medium' | 'small' {
  if (count <= 6) return 'large';
  return count <= 20 ? 'medium' : 'small';
}

/** Nobody presses a key at a wallboard. */
function useReloadAfterUpgrade(version: string | undefined): void {
  const first = useRef(version);
  useEffect(() => {
    first.current ??= version;
    if (version !== undefined && version !== first.current) location.reload();
  }, [version]);
}

const looks = {
  failed: { word: 'Failed', Icon: CircleX, look: 'border-failed bg-failed text-canvas' },
  passed: { word: 'Passed', Icon: CircleCheck, look: 'border-line bg-surface' },
  none: { word: 'No result', Icon: CircleDashed, look: 'border-line bg-surface text-muted' },
} as const;

/** @param at time of the server, so that a wrong clock of the screen does no harm */
function WallTile({ tile, at }: { tile: Tile; at: string }) {
  const { repository, workflow, state, running, last, failingSince, firstBad, handledBy } = tile;
  const { word, Icon, look } = looks[state];
  const sinceMs = (time: string): number => Math.max(0, Date.parse(at) - Date.parse(time));
  return (
    <li className={`wall-tile border-2 ${look}`} data-state={state}>
      <p className="flex items-center gap-[0.4em]">
        <Icon aria-hidden className={`size-[1.2em] shrink-0 ${state === 'passed' ? 'text-passed' : ''}`} />
        <bdi className="wall-name">{workflow === '' ? 'Without a name' : workflow}</bdi>
      </p>
      <p className="wall-small">
        <bdi>{repository}</bdi>
      </p>
      <p>
        {word}
        {failingSince !== null && <> for {formatDuration(sinceMs(failingSince))}</>}
        {state === 'passed' && last?.completedAt && <> {formatAgo(sinceMs(last.completedAt))}</>}
      </p>
      {last?.errorLine && (
        <p className="wall-error">
          <bdi>{last.errorLine}</bdi>
        </p>
      )}
      {firstBad?.actor && (
        <p className="wall-small">
          <bdi>{firstBad.actor}</bdi>
          {firstBad.title !== null && (
            <>
              : <bdi>{firstBad.title}</bdi>
            </>
          )}
        </p>
      )}
      {handledBy !== null && (
        <p className="wall-small">
          <bdi>{handledBy.name ?? 'Somebody'}</bdi> looks into it
        </p>
      )}
      {running !== null && <Running running={running} at={at} />}
    </li>
  );
}

function Running({ running, at }: { running: NonNullable<Tile['running']>; at: string }) {
  const { startedAt, expectedMs } = running;
  const elapsedMs = Math.max(0, Date.parse(at) - Date.parse(startedAt));
  const text = `Running for ${formatDuration(elapsedMs)}`;
  return (
    <div className="mt-auto">
      <p className="wall-small">
        {text}
        {expectedMs !== null && <>, usually {formatDuration(expectedMs)}</>}
      </p>
      {expectedMs !== null && (
        <progress
          aria-label={text}
          className="wall-progress"
          max={expectedMs}
          value={Math.min(elapsedMs, expectedMs)}
        />
      )}
    </div>
  );
}
