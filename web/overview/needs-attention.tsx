import CircleCheck from 'lucide-react/icons/circle-check';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import { incidentsPath } from '../alerts/alert-paths.ts';
import { useLiveIncidents } from '../alerts/incidents/use-incidents.ts';
import { usePages } from '../api/use-pages.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { shownIncidents, type InboxView } from './overview-search.ts';
import { RedList } from './red-list.tsx';
import { redRows } from './red-rows.ts';

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
}: {
  integrationId: string;
  attention: readonly Attention[];
  show: InboxView | undefined;
  incidents: ReturnType<typeof useOpenIncidents>;
}) {
  return (
    <>
      <Loaded reading={reading} what="incidents" skeletonRows={1}>
        {(incidents) => {
          const rows = redRows(incidents, show === undefined ? attention : []);
          if (rows.length === 0)
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
          return <RedList integrationId={integrationId} rows={rows} />;
        }}
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}
