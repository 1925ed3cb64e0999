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

/** Open incidents, and workflows that fail on their default branch without a rule that watches them. */
export function NeedsAttention({
  integrationId,
  attention,
  show,
}: {
  integrationId: string;
  attention: readonly Attention[];
  show: InboxView | undefined;
}) {
  useLiveIncidents(integrationId);
  const path = incidentsPath(integrationId);
  const { reading, more, isReadingMore } = usePages<Incident>(path, shownIncidents(show), askEveryMs);
  return (
    <>
      <Loaded reading={reading} what="incidents" skeletonRows={1}>
        {(incidents) => {
          const rows = redRows(incidents, show === undefined ? attention : []);
          if (rows.length === 0)
            return (
              // As high as its placeholder, so that the charts below do not move.
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
