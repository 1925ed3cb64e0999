import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import Radio from 'lucide-react/icons/radio';
import type { ReactNode } from 'react';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { useKeptFocus } from '../../ui/table/use-kept-focus.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { RemoveSampleData } from '../remove-sample-data.tsx';
import { TrySampleTraffic } from './sample-traffic.tsx';
import { useFirstEvent } from './use-first-event.ts';
import { TextLink } from '../../ui/text/text-link.tsx';

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
