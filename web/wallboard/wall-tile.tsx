import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import type { Tile } from '#contract/integrations/wallboard.ts';
import { formatAgo, formatDuration } from '../ui/time/format-duration.ts';

const looks = {
  failed: { word: 'Failed', Icon: CircleX, look: 'border-failed bg-failed text-canvas' },
  passed: { word: 'Passed', Icon: CircleCheck, look: 'border-line bg-surface' },
  none: { word: 'No result', Icon: CircleDashed, look: 'border-line bg-surface text-muted' },
} as const;

/** @param at time of the server, so that a wrong clock of the screen does no harm */
export function WallTile({ tile, at }: { tile: Tile; at: string }) {
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
