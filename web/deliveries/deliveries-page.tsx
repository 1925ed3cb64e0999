import type { Delivery } from '#contract/deliveries/deliveries.ts';
import { usePages } from '../api/use-pages.ts';
import { ActivityTabs } from '../event-log/activity-tabs.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { Table } from '../ui/table/table.tsx';
import { deliveryColumns } from './delivery-columns.tsx';
import { DeliveryFilters, type ChangeFilter } from './delivery-filters.tsx';
import { emptyFilter, type DeliverySearch } from './delivery-search.ts';
import { NoDeliveries } from './no-deliveries.tsx';

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
