import CircleCheck from 'lucide-react/icons/circle-check';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import { incidentsPath } from '../alerts/alert-queries.ts';
import { Inbox } from '../alerts/incidents/inbox.tsx';
import { useLiveIncidents } from '../alerts/incidents/use-incidents.ts';
import { usePages } from '../api/use-pages.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { AttentionList } from './attention-list.tsx';
import { withoutIncident } from './attention.ts';
import type { InboxView } from './overview-search.ts';

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
  const { reading, more, isReadingMore } = usePages<Incident>(path, { status: 'open', show }, askEveryMs);
  return (
    <>
      <Loaded reading={reading} what="incidents" skeletonRows={1}>
        {(incidents) => {
          const unwatched = show === undefined ? withoutIncident(attention, incidents) : [];
          if (incidents.length + unwatched.length === 0)
            return (
              // As high as its placeholder, so that the charts below do not move.
              <p className="flex min-h-[34px] items-center gap-2 px-4">
                <CircleCheck size={15} aria-hidden className="text-passed" />
                {nothing[show ?? 'all']}
              </p>
            );
          return (
            <>
              {incidents.length > 0 && <Inbox integrationId={integrationId} incidents={incidents} />}
              {incidents.length > 0 && unwatched.length > 0 && (
                <h3 className="px-4 pt-4 pb-1 font-medium">Failing without a rule</h3>
              )}
              {unwatched.length > 0 && <AttentionList integrationId={integrationId} attention={unwatched} />}
            </>
          );
        }}
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}
