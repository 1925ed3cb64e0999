import { useQuery } from '@tanstack/react-query';
import type { QuotaName, Usage as UsageOfDay } from '#contract/integrations/usage.ts';
import { jsonQuery } from '../../api/path-queries.ts';
import { formatBytes, formatCount, formatNumber } from '../../ui/locale.ts';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/page-body.tsx';
import { Fact } from '../../ui/text/fact.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';

const exceededTexts: Record<QuotaName, string> = {
  bytes: 'The quota of stored bytes is used up.',
  events: 'The quota of webhooks is used up.',
  owner_bytes: 'The quota of all integrations of the owner is used up.',
};

/** What the integration has stored today, with its quotas. The operator sets them for all integrations. */
export function Usage({ integrationId }: { integrationId: string }) {
  const reading = useQuery(jsonQuery<UsageOfDay>(`/api/integrations/${integrationId}/usage`));
  return (
    <Section
      title="Usage today"
      note="A day begins at 00:00 UTC. When a quota is used up, webhooks and test reports are refused until the next day."
    >
      <Loaded reading={reading} what="the usage" skeletonRows={2}>
        {(usage) => <UsageFacts usage={usage} />}
      </Loaded>
    </Section>
  );
}

function UsageFacts({
  usage: { bytes, events, ownerBytes, exceeded, refused, endsAt },
}: {
  usage: UsageOfDay;
}) {
  return (
    <>
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Used what="Stored" used={bytes} format={formatBytes} setting="INTEGRATION_BYTES_PER_DAY" />
        <Used what="Webhooks" used={events} format={formatNumber} setting="INTEGRATION_EVENTS_PER_DAY" />
        {ownerBytes && (
          <Used
            what="Stored by all your integrations"
            used={ownerBytes}
            format={formatBytes}
            setting="PERSON_BYTES_PER_DAY"
          />
        )}
      </dl>
      {refused > 0 && (
        <p className="mt-2 text-muted">
          {formatCount(refused, 'webhook or test report', 'webhooks and test reports')} refused today.
        </p>
      )}
      {exceeded && (
        <p className="mt-2 font-medium text-failed">
          {exceededTexts[exceeded]} Webhooks are accepted again at{' '}
          <time dateTime={endsAt}>{exactTime(endsAt)}</time>.
        </p>
      )}
    </>
  );
}

function Used({
  what,
  used: { used, limit },
  format,
  setting,
}: {
  what: string;
  used: UsageOfDay['bytes'];
  format: (value: number) => string;
  setting: string;
}) {
  return (
    <Fact name={what}>
      {format(used)} {limit === null ? '(no limit)' : `of ${format(limit)}`}
      <code className="ml-3 font-mono text-xs text-muted">{setting}</code>
    </Fact>
  );
}
