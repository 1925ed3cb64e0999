import { useQuery } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import type { MinutePrice } from '#contract/metrics/minute-prices.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { formatMoney } from '../ui/locale.ts';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { clip } from '../ui/text/clip.ts';
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
  const [removing, setRemoving] = useState<MinutePrice>();
  if (prices.length === 0) return <p className="text-muted">No prices. Minutes are shown without a cost.</p>;
  return (
    <>
      <ul aria-label="Prices of minutes">
        {prices.map((price) => (
          <li
            key={price.priceId}
            className="flex items-start justify-between gap-4 border-t border-line py-2 first:border-t-0"
          >
            <div className="min-w-0">
              <bdi className="font-medium break-words">{price.runner}</bdi>
              <p className="text-muted">
                {formatMoney(price.pricePerMinute, price.currency)} a minute from {price.validFrom} on
              </p>
            </div>
            <IconButton
              label={`Remove the price of ${price.runner} from ${price.validFrom} on`}
              reason={reason}
              onClick={() => setRemoving(price)}
            >
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={`Remove the price of ${clip(removing.runner, 80)}?`}
          action="Remove"
          onConfirm={() => remove('Price removed', removing.priceId)}
          onClose={() => setRemoving(undefined)}
        >
          <p>Minutes from {removing.validFrom} on have the price before it, or no cost if there is none.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
