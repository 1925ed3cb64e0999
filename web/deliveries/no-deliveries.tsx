import { useConfig } from '../api/config.ts';
import { Message } from '../ui/page/message.tsx';
import { NoMatches } from '../ui/page/no-matches.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import type { DeliveryFilter } from './delivery-search.ts';

/** Explains why the list is empty and what to do. */
export function NoDeliveries({
  integrationId,
  filter,
  goesOn,
  onClear,
}: {
  integrationId: string;
  filter: DeliveryFilter;
  /** Whether older deliveries have not been searched yet. */
  goesOn: boolean;
  onClear: () => void;
}) {
  const { q, ...others } = filter;
  const isNarrowedElse = Object.values(others).some((value) => value !== undefined);
  if (q === undefined && !isNarrowedElse)
    return (
      <Message title="No deliveries yet">
        <p className="text-muted">
          <TextLink to="/integrations/$integrationId/connect" params={{ integrationId }}>
            Add a webhook at the forge
          </TextLink>{' '}
          with the URL and the secret of this integration. Refused deliveries are listed here, too.
        </p>
      </Message>
    );
  if (goesOn)
    return (
      <Message title="No delivery found so far">
        <p className="text-muted">Load more to look at older deliveries.</p>
      </Message>
    );
  return (
    <NoMatches what="deliveries" onClear={onClear}>
      {!isNarrowedElse && <NotArrived integrationId={integrationId} />}
    </NoMatches>
  );
}

/** For a delivery that the forge reports as sent. */
export function NotArrived({ integrationId }: { integrationId: string }) {
  const days = useConfig()?.retention.deliveryDays;
  return (
    <p className="text-muted">
      {days === undefined
        ? 'No delivery with this ID is stored. '
        : `No delivery with this ID arrived in the last ${days} days. `}
      On the forge, check the URL it was sent to and the response. The URL of this integration is in the{' '}
      <TextLink to="/integrations/$integrationId/settings" params={{ integrationId }}>
        settings
      </TextLink>
      . If many deliveries are refused within a minute, some are only counted in the event log.
    </p>
  );
}
