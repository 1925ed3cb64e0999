import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import Radio from 'lucide-react/icons/radio';
import { type ReactNode, useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { LogEntry, LogEntryPage } from '#contract/deliveries/event-log.ts';
import { deliveryVerdicts, type Delivery, type DeliveryPage } from '#contract/deliveries/deliveries.ts';
import type { Integration } from '#contract/integrations/integrations.ts';
import { useKeptFocus } from '../../ui/table/use-kept-focus.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { RemoveSampleData } from '../remove-sample-data.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import { getJson } from '../../api/client.ts';
import { jsonQuery } from '../../api/path-queries.ts';
import { retryAfter } from '../../api/problem.ts';
import { queryString } from '../../api/query-string.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { sampleDataPath } from '../use-sample-data.ts';
import { isQueued } from '../../deliveries/verdict-mark.tsx';
import { TrySampleTraffic } from './sample-traffic.tsx';

/** Shows whether events arrive, and updates automatically. Sample data can be removed from here too. */
export function FirstEvent({ integrationId }: { integrationId: string }) {
  const first = useFirstEvent(integrationId);
  const keepsFocus = useKeptFocus();
  return (
    <>
      <div {...keepsFocus}>
        <EventState integrationId={integrationId} first={first} />
      </div>
      <RemoveSampleData integrationId={integrationId} />
    </>
  );
}

function EventState({
  integrationId,
  first,
}: {
  integrationId: string;
  first: ReturnType<typeof useFirstEvent>;
}) {
  const { event, error, isReached, refused } = first;
  if (event !== undefined) {
    return (
      <>
        <State icon={<CircleCheck size={18} aria-hidden className="text-passed" />} title="Receiving events">
          Latest event: <code className="font-mono">{event.event}</code>
          {event.repository !== null && (
            <>
              {' '}
              from <bdi>{event.repository}</bdi>
            </>
          )}
          , <TimeAgo time={event.receivedAt} isFocusable />.
        </State>
        <NextSteps integrationId={integrationId} />
      </>
    );
  }
  return (
    <>
      <State
        icon={<Radio size={18} aria-hidden className="text-running motion-safe:animate-pulse" />}
        title={isReached ? 'Connected: the forge reached this integration' : 'Waiting for the first event'}
      >
        {isReached
          ? 'The signature is correct. The first event arrives with the next workflow run.'
          : 'Push a commit or run a workflow. This page updates automatically.'}
      </State>
      {refused && !isReached && <Refusal integrationId={integrationId} refused={refused} />}
      {error && (
        <p role="alert" className="mt-3 text-failed">
          {error.message} Still checking…
        </p>
      )}
      <div className="mt-4">
        <h3 className="font-semibold">Or try it with sample traffic</h3>
        <TrySampleTraffic integrationId={integrationId} />
      </div>
    </>
  );
}

function Refusal({
  integrationId,
  refused: { title, at },
}: {
  integrationId: string;
  refused: Pick<LogEntry, 'title' | 'at'>;
}) {
  return (
    <State
      icon={<CircleAlert size={18} aria-hidden className="text-failed" />}
      title="A delivery was refused"
    >
      {title} (<TimeAgo time={at} isFocusable />
      ).{' '}
      <TextLink
        to="/integrations/$integrationId/deliveries"
        params={{ integrationId }}
        search={{ verdict: 'refused' }}
      >
        View refused deliveries
      </TextLink>
    </State>
  );
}

function State({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="mt-3 flex items-start gap-2.5 first:mt-0">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <div className="min-w-0">
        <output className="block font-semibold">{title}</output>
        <p className="text-muted">{children}</p>
      </div>
    </div>
  );
}

function NextSteps({ integrationId }: { integrationId: string }) {
  const params = { integrationId };
  return (
    <ul className="mt-4 flex flex-wrap gap-x-5 gap-y-2">
      <li>
        <TextLink to="/integrations/$integrationId/runs" params={params}>
          View runs
        </TextLink>
      </li>
      <li>
        <TextLink to="/integrations/$integrationId/rules" params={params}>
          Set up notifications
        </TextLink>
      </li>
      <li>
        <TextLink to="/integrations/$integrationId/members" params={params}>
          Invite your team
        </TextLink>
      </li>
    </ul>
  );
}

const askEveryMs = 2000;
const askOfRefusalsEveryMs = 10_000;

/** A ping or a refused delivery is not an event. */
const queuedVerdicts = deliveryVerdicts.filter(isQueued).join();

/** The connection state of the forge. Polls until the first event arrives. */
function useFirstEvent(integrationId: string) {
  const client = useQueryClient();
  const base = `/api/integrations/${integrationId}`;
  const queryKey = ['first-event', integrationId];
  const first = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Delivery | null> => {
      const query = queryString({ verdict: queuedVerdicts, limit: 1 });
      const { items } = await getJson<DeliveryPage>(`${base}/deliveries${query}`, signal);
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (!state.data && askEveryMs),
  });
  const isWaiting = !first.data;
  useEffect(() => {
    // The first event may be sample data.
    if (!isWaiting) void client.invalidateQueries({ queryKey: [sampleDataPath(integrationId)] });
  }, [client, integrationId, isWaiting]);
  const { data: integration } = useQuery({
    ...jsonQuery<Integration>(base),
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (isWaiting && askEveryMs),
  });
  const { data: refused } = useQuery({
    queryKey: ['refused-deliveries', integrationId],
    queryFn: async ({ signal }) => {
      const query = queryString({ type: 'deliveries.rejected', limit: 1 });
      const { items } = await getJson<LogEntryPage>(`${base}/event-log${query}`, signal);
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (isWaiting && askOfRefusalsEveryMs),
  });
  useUpdates(integrationId, {
    onUpdates: () => {
      if (isWaiting) void client.invalidateQueries({ queryKey });
    },
    // The first event may have been removed as sample data.
    onResync: () => void client.invalidateQueries({ queryKey }),
  });
  return {
    event: first.data ?? undefined,
    error: first.error,
    /** A delivery with a valid signature arrived, for example the initial ping. */
    isReached: (integration?.lastSecretUsed ?? null) !== null,
    refused: refused ?? undefined,
  };
}
