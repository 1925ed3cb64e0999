import CircleCheck from 'lucide-react/icons/circle-check';
import { useMemo, useState } from 'react';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import { incidentsPath } from '../alerts/alert-paths.ts';
import { useLiveIncidents } from '../alerts/incidents/use-incidents.ts';
import { usePages } from '../api/use-pages.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { keepPlaces, NewRows, useHeld } from '../ui/table/held-rows.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { shownIncidents, type InboxView } from './overview-search.ts';
import { RedList } from './red-list.tsx';
import { redRows, type RedRow } from './red-rows.ts';

const askEveryMs = 30_000;

const nothing: Record<InboxView | 'all', string> = {
  all: 'No broken workflows on default branches.',
  mine: 'No open incident is assigned to you.',
  unacknowledged: 'Every open incident is acknowledged or snoozed.',
};

export function useOpenIncidents(integrationId: string, show: InboxView | undefined) {
  useLiveIncidents(integrationId);
  return usePages<Incident>(incidentsPath(integrationId), shownIncidents(show), askEveryMs);
}

/** Open incidents, and workflows that fail on their default branch without an incident on screen. */
export function NeedsAttention({
  integrationId,
  attention,
  show,
  incidents: { reading, more, isReadingMore },
  isHeld,
}: {
  integrationId: string;
  attention: readonly Attention[];
  show: InboxView | undefined;
  incidents: ReturnType<typeof useOpenIncidents>;
  /** Rows keep their places, and new ones wait. */
  isHeld: boolean;
}) {
  const current = useMemo(
    () => redRows(reading.data ?? [], show === undefined ? attention : []),
    [reading.data, show, attention],
  );
  // Their rows may leave at once.
  const [changed, setChanged] = useState<readonly string[]>([]);
  const { shown, release } = useHeld<readonly RedRow[], HeldRows>({
    current,
    isHeld: isHeld && reading.data !== undefined,
    scope: show,
    all: (rows) => ({ rows, waiting: 0 }),
    hold: ({ rows }, latest) => ({
      rows: keepPlaces(rows, latest, keyOf).filter(
        (row) => latest.includes(row) || !changed.includes(row.key),
      ),
      waiting: latest.filter(({ key }) => !rows.some((row) => row.key === key)).length,
    }),
  });
  return (
    <div className="relative">
      <NewRows count={shown.waiting} onShow={release} className="top-0" />
      <Loaded reading={reading} what="incidents" skeletonRows={1}>
        {() =>
          shown.rows.length === 0 ? (
            <Nothing show={show} />
          ) : (
            <RedList
              integrationId={integrationId}
              rows={shown.rows}
              onChange={({ incidentId }) => setChanged((others) => [...others, incidentId])}
            />
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </div>
  );
}

interface HeldRows {
  rows: readonly RedRow[];
  /** New rows that are not shown. */
  waiting: number;
}

const keyOf = ({ key }: RedRow): string => key;

function Nothing({ show }: { show: InboxView | undefined }) {
  return (
    <p className="flex min-h-[34px] items-center gap-2 px-4">
      <CircleCheck size={15} aria-hidden className="text-passed" />
      <span>
        {nothing[show ?? 'all']}
        {show === undefined && (
          // On a phone it would need a second line.
          <span className="max-sm:sr-only"> Runs in progress count when they complete.</span>
        )}
      </span>
    </p>
  );
}
