import type { DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import { CopyText } from '../ui/text/copy-text.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { reasonText } from './reason-texts.ts';
import { TextLink } from '../ui/text/text-link.tsx';

/** Identity, time and origin of a delivery, and advice for its verdict. */
export function DeliveryFacts({
  integrationId,
  delivery: { forgeDeliveryId, deliveryId, receivedAt, address, repository, verdict, reason },
}: {
  integrationId: string;
  delivery: DeliveryDetail;
}) {
  const text = reason === null ? undefined : reasonText(reason);
  return (
    <>
      {text !== undefined && (
        <p>
          <span className="font-medium">{text.title}.</span> {text.what} {text.advice}{' '}
          {verdict === 'dead' && (
            <TextLink
              to="/integrations/$integrationId/dead-letters"
              params={{ integrationId }}
              search={{ messageId: deliveryId }}
            >
              Open the dead letter
            </TextLink>
          )}
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
        <dt className="text-muted">Delivery ID</dt>
        <dd className="min-w-0">
          {forgeDeliveryId === null ? 'Not provided' : <CopyText name="delivery ID" text={forgeDeliveryId} />}
        </dd>
        <dt className="text-muted">Forgewatch ID</dt>
        <dd className="font-mono text-xs">{deliveryId}</dd>
        <dt className="text-muted">Received</dt>
        <dd>{exactTime(receivedAt)}</dd>
        {repository !== null && (
          <>
            <dt className="text-muted">Repository</dt>
            <dd className="min-w-0 break-words">
              <bdi>{repository}</bdi>
            </dd>
          </>
        )}
        {address !== null && (
          <>
            <dt className="text-muted">Client address</dt>
            <dd className="font-mono text-xs">{address}</dd>
          </>
        )}
      </dl>
    </>
  );
}
