import { type Delivery, deliveryVerdicts } from '#contract/deliveries/deliveries.ts';
import { usePages } from '../api/use-pages.ts';
import { ActivityTabs } from '../event-log/activity-tabs.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { Table, actionsColumn, type Column } from '../ui/table/table.tsx';
import { Button } from '../ui/button.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { SearchField } from '../ui/form/search-field.tsx';
import { TimeFilter } from '../ui/form/time-filter.tsx';
import { emptyFilter, type DeliverySearch, deliveryEvents, type DeliveryFilter } from './delivery-search.ts';
import { NoDeliveries } from './no-deliveries.tsx';
import { reasonText } from './reason-texts.ts';
import { VerdictMark, verdicts } from './verdict-mark.tsx';

const DeliveryDialog = lazyPart('delivery-dialog', 'DeliveryDialog', () => import('./delivery-dialog.tsx'));

const askEveryMs = 10_000;

/** All deliveries of the forge, including refused ones, with their verdicts. */
export function DeliveriesPage({
  integrationId,
  search: { open, ...filter },
  onFilter,
  onOpen,
  onClose,
}: {
  integrationId: string;
  search: DeliverySearch;
  onFilter: ChangeFilter;
  onOpen: (deliveryId: string) => void;
  onClose: () => void;
}) {
  const path = `/api/integrations/${integrationId}/deliveries`;
  const { reading, more, isReadingMore } = usePages<Delivery>(path, { ...filter }, askEveryMs);
  return (
    <>
      <PageHeader title={<PageTitle>Deliveries</PageTitle>} end={null}>
        <DeliveryFilters filter={filter} onChange={onFilter} />
      </PageHeader>
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <Loaded reading={reading} what="deliveries">
          {(deliveries) =>
            deliveries.length === 0 ? (
              <NoDeliveries
                integrationId={integrationId}
                filter={filter}
                goesOn={more !== undefined}
                onClear={() => onFilter(emptyFilter)}
              />
            ) : (
              <Table
                label="Deliveries"
                columns={deliveryColumns(integrationId, onOpen)}
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

/** The columns of the delivery list. */
function deliveryColumns(integrationId: string, onOpen: (deliveryId: string) => void): Column<Delivery>[] {
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

/** Changes part of the filter. `isTyping` adds no history step. */
type ChangeFilter = (change: DeliveryFilter, isTyping?: boolean) => void;

/** The filters of the delivery list. */
function DeliveryFilters({
  filter: { q, event, verdict, from, to },
  onChange,
}: {
  filter: DeliveryFilter;
  onChange: ChangeFilter;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search by ID"
        value={q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text.trim() }, true)}
      />
      <FilterMenu
        name="Event"
        value={event}
        groups={[deliveryEvents.map((value) => ({ value, label: value }))]}
        onChoose={(chosen) => onChange({ event: deliveryEvents.find((each) => each === chosen) })}
      />
      <FilterMenu
        name="Result"
        value={verdict}
        groups={[deliveryVerdicts.map((value) => ({ value, label: verdicts[value].word }))]}
        onChoose={(chosen) => onChange({ verdict: deliveryVerdicts.find((each) => each === chosen) })}
      />
      <TimeFilter title="Time of receipt" submit="Show deliveries" range={{ from, to }} onChange={onChange} />
    </search>
  );
}
