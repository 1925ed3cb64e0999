import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MinutePrice } from '#contract/metrics/minute-prices.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Button } from '../ui/button.tsx';
import { formatMoney } from '../ui/locale.ts';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { RemovableList } from '../ui/removable-list.tsx';
import { useRemove } from '../ui/use-remove.ts';

const PriceDialog = lazyPart('price-dialog', 'PriceDialog', () => import('./price-dialog.tsx'));

interface PriceSectionProps {
  integrationId: string;
  /** Why this person cannot change them. */
  reason: string | undefined;
}

/** What a minute of each runner costs. Everybody sees the prices, admins set and remove them. */
export function PriceSection({ integrationId, reason }: PriceSectionProps) {
  const path = `/api/integrations/${integrationId}/minute-prices`;
  const [isAdding, setAdding] = useState(false);
  const reading = useQuery(jsonQuery<{ items: MinutePrice[] }>(path));
  return (
    <Section
      title="Prices of minutes"
      note="Health shows what runner minutes cost where their runner labels have a price. A price holds from its day (UTC) on, until the next one of the same labels."
      end={
        <Button reason={reason} onClick={() => setAdding(true)}>
          Set price…
        </Button>
      }
    >
      <Loaded reading={reading} what="prices" skeletonRows={1}>
        {({ items }) => <PriceList path={path} prices={items} reason={reason} />}
      </Loaded>
      {isAdding && <PriceDialog integrationId={integrationId} path={path} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function PriceList({
  path,
  prices,
  reason,
}: {
  path: string;
  prices: readonly MinutePrice[];
  reason: string | undefined;
}) {
  const remove = useRemove(path);
  if (prices.length === 0) return <p className="text-muted">No prices. Minutes are shown without a cost.</p>;
  return (
    <RemovableList
      label="Prices of minutes"
      items={prices}
      keyOf={({ priceId }) => priceId}
      nameOf={({ runner }) => runner}
      removedAs={({ runner, validFrom }) => `the price of ${runner} from ${validFrom} on`}
      renderDetails={({ pricePerMinute, currency, validFrom }) => (
        <p className="text-muted">
          {formatMoney(pricePerMinute, currency)} a minute from {validFrom} on
        </p>
      )}
      reason={reason}
      warn={({ validFrom }) =>
        `Minutes from ${validFrom} on have the price before it, or no cost if there is none.`
      }
      onRemove={({ priceId }) => remove('Price removed', priceId)}
    />
  );
}
