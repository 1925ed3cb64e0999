import { deliveryVerdicts, type Delivery } from '#contract/deliveries.ts';
import { queuedEvents } from '#contract/integrations.ts';
import { usePages } from '../api/use-pages.ts';
import { ActivityTabs } from '../event-log/activity-tabs.tsx';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { FilterMenu } from '../ui/filter-menu.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { PageBody } from '../ui/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page-header.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import type { DeliverySearch } from './delivery-search.ts';
import { VerdictMark, verdicts } from './verdict-mark.tsx';

const askEveryMs = 10_000;

/** Every webhook that was accepted, and what became of it. */
export function DeliveriesPage({
  integrationId,
  search: { event, verdict, open },
  onFilter,
  onOpen,
  onClose,
}: {
  integrationId: string;
  search: DeliverySearch;
  onFilter: (change: Pick<DeliverySearch, 'event' | 'verdict'>) => void;
  onOpen: (deliveryId: string) => void;
  onClose: () => void;
}) {
  const path = `/api/integrations/${integrationId}/deliveries`;
  const { reading, more, isReadingMore } = usePages<Delivery>(path, { event, verdict }, askEveryMs);
  const reason = useRoleReason(integrationId, 'member');
  const columns = columnsFor(reason, onOpen);
  return (
    <>
      <PageHeader title={<PageTitle>Deliveries</PageTitle>} end={null}>
        <search className="contents">
          <FilterMenu
            name="Event"
            value={event}
            groups={[queuedEvents.map((value) => ({ value, label: value }))]}
            onChoose={(chosen) => onFilter({ event: queuedEvents.find((each) => each === chosen) })}
          />
          <FilterMenu
            name="Verdict"
            value={verdict}
            groups={[deliveryVerdicts.map((value) => ({ value, label: verdicts[value].word }))]}
            onChoose={(chosen) => onFilter({ verdict: deliveryVerdicts.find((each) => each === chosen) })}
          />
        </search>
      </PageHeader>
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <Loaded reading={reading} what="deliveries">
          {(deliveries) =>
            deliveries.length === 0 ? (
              <NoDeliveries
                isNarrowed={event !== undefined || verdict !== undefined}
                onClear={() => onFilter({ event: undefined, verdict: undefined })}
              />
            ) : (
              <Table
                label="Deliveries"
                columns={columns}
                rows={deliveries}
                rowKey={({ deliveryId }) => deliveryId}
              />
            )
          }
        </Loaded>
        <MoreButton more={more} isPending={isReadingMore} />
      </PageBody>
      {open !== undefined && (
        <DeliveryDialog key={open} integrationId={integrationId} deliveryId={open} onClose={onClose} />
      )}
    </>
  );
}

function columnsFor(reason: string | undefined, onOpen: (deliveryId: string) => void): Column<Delivery>[] {
  return [
    {
      key: 'event',
      header: 'Event',
      renderCell: ({ event, action, replayed }) => (
        <span>
          <span className="font-medium">{event}</span>
          {action !== null && <bdi className="text-muted"> {action}</bdi>}
          {replayed && <span className="text-muted"> (replayed)</span>}
        </span>
      ),
    },
    { key: 'verdict', header: 'Verdict', renderCell: ({ verdict }) => <VerdictMark verdict={verdict} /> },
    {
      key: 'repository',
      header: 'Repository',
      className: 'text-muted',
      renderCell: ({ repository }) => <bdi>{repository ?? '–'}</bdi>,
    },
    {
      key: 'received',
      header: 'Received',
      className: 'text-muted',
      renderCell: ({ receivedAt }) => <TimeAgo time={receivedAt} isFocusable />,
    },
    {
      key: 'actions',
      header: 'Actions',
      isUnnamed: true,
      isAtEnd: true,
      renderCell: ({ deliveryId, event }) => (
        <Button
          reason={reason}
          aria-label={`Open delivery ${deliveryId}, ${event}`}
          onClick={() => onOpen(deliveryId)}
        >
          Open
        </Button>
      ),
    },
  ];
}

function NoDeliveries({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  if (isNarrowed)
    return (
      <Message title="No delivery passes the filters">
        <Button onClick={onClear}>Clear the filters</Button>
      </Message>
    );
  return (
    <Message title="Nothing was delivered yet">
      <p className="text-muted">
        Point a webhook of the forge at this integration: its URL stands in the settings. What is refused is
        counted in the event log.
      </p>
    </Message>
  );
}
