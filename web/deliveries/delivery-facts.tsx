import type { DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import { CopyText } from '../ui/text/copy-text.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { reasonText } from './reason-texts.ts';
import { TextLink } from '../ui/text/text-link.tsx';
import { Fact } from '../ui/text/fact.tsx';

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
        <Fact name="Delivery ID">
          {forgeDeliveryId === null ? 'Not provided' : <CopyText name="delivery ID" text={forgeDeliveryId} />}
        </Fact>
        <Fact name="Forgewatch ID" className="font-mono text-xs">
          {deliveryId}
        </Fact>
        <Fact name="Received">{exactTime(receivedAt)}</Fact>
        {repository !== null && (
          <Fact name="Repository" className="break-words">
            <bdi>{repository}</bdi>
          </Fact>
        )}
        {address !== null && (
          <Fact name="Client address" className="font-mono text-xs">
            {address}
          </Fact>
        )}
      </dl>
    </>
  );
}
