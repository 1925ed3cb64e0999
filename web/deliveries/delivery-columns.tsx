import type { Delivery } from '#contract/deliveries/deliveries.ts';
import { Button } from '../ui/button.tsx';
import { actionsColumn, type Column } from '../ui/table/table.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { reasonText } from './reason-texts.ts';
import { VerdictMark } from './verdict-mark.tsx';

/** The columns of the delivery list. */
export function deliveryColumns(
  integrationId: string,
  onOpen: (deliveryId: string) => void,
): Column<Delivery>[] {
  return [
    {
      key: 'event',
      header: 'Event',
      renderCell: ({ event, action, replayed }) => (
        <span>
          <bdi className="font-medium">{event}</bdi>
          {action !== null && <bdi className="text-muted"> {action}</bdi>}
          {replayed && <span className="text-muted"> (replayed)</span>}
        </span>
      ),
    },
    {
      key: 'verdict',
      header: 'Result',
      renderCell: (delivery) => <Verdict integrationId={integrationId} delivery={delivery} />,
    },
    {
      key: 'id',
      header: 'Delivery ID',
      renderCell: ({ forgeDeliveryId }) => <DeliveryId id={forgeDeliveryId} />,
    },
    {
      key: 'repository',
      header: 'Repository or address',
      className: 'text-muted',
      renderCell: ({ repository, address }) => <bdi>{repository ?? address ?? '–'}</bdi>,
    },
    {
      key: 'received',
      header: 'Received',
      className: 'text-muted',
      renderCell: ({ receivedAt }) => <TimeAgo time={receivedAt} isFocusable />,
    },
    {
      ...actionsColumn,
      renderCell: ({ deliveryId, event }) => (
        <Button aria-label={`Open delivery ${deliveryId}, ${event}`} onClick={() => onOpen(deliveryId)}>
          Open
        </Button>
      ),
    },
  ];
}

function Verdict({
  integrationId,
  delivery: { deliveryId, verdict, reason },
}: {
  integrationId: string;
  delivery: Delivery;
}) {
  return (
    <>
      <VerdictMark verdict={verdict} />
      {reason !== null && (
        <span className="block text-xs text-muted">
          {verdict === 'dead' ? (
            <TextLink
              to="/integrations/$integrationId/dead-letters"
              params={{ integrationId }}
              search={{ messageId: deliveryId }}
            >
              {reasonText(reason).title}
              <span className="sr-only">: open the dead letter</span>
            </TextLink>
          ) : (
            reasonText(reason).title
          )}
        </span>
      )}
    </>
  );
}

/** The ID as the forge shows it. A hash that replaces a missing ID is long and gets truncated. */
function DeliveryId({ id }: { id: string | null }) {
  if (id === null) return <span className="text-muted">none</span>;
  return (
    <code className="block max-w-[19rem] truncate font-mono text-xs" title={id}>
      {id}
    </code>
  );
}
