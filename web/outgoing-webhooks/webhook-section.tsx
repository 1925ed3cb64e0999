import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mostSubscriptions } from '#contract/integrations/webhook-subscriptions.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { SubscriptionList } from './subscriptions/subscription-list.tsx';
import type { OpenSubscriptionDialog } from './subscriptions/subscription-dialogs.tsx';
import { subscriptionsQuery } from './webhook-queries.ts';

const SubscriptionDialogs = lazyPart(
  'subscription-dialogs',
  'SubscriptionDialogs',
  () => import('./subscriptions/subscription-dialogs.tsx'),
);

/** Webhook subscriptions. Everybody sees them and their delivery logs, admins change them. */
export function WebhookSection({
  integrationId,
  reason,
}: {
  integrationId: string;
  /** Why this person cannot change them. */
  reason: string | undefined;
}) {
  const reading = useQuery(subscriptionsQuery(integrationId));
  const [open, setOpen] = useState<OpenSubscriptionDialog>();
  const isFull = (reading.data?.length ?? 0) >= mostSubscriptions;
  const reasonToAdd =
    reason ?? (isFull ? `An integration has at most ${mostSubscriptions} subscriptions` : undefined);
  return (
    <Section
      title="Outgoing webhooks"
      note="Events of this integration are sent to your own programs, signed and in order."
      end={
        <Button reason={reasonToAdd} onClick={() => setOpen({ what: 'form' })}>
          Add subscription…
        </Button>
      }
    >
      <Loaded reading={reading} what="webhook subscriptions" skeletonRows={1}>
        {(subscriptions) => (
          <SubscriptionList
            integrationId={integrationId}
            subscriptions={subscriptions}
            reason={reason}
            onOpen={setOpen}
          />
        )}
      </Loaded>
      {reasonToAdd && <p className="mt-2 text-muted">{reasonToAdd}.</p>}
      {open && (
        <SubscriptionDialogs integrationId={integrationId} open={open} onClose={() => setOpen(undefined)} />
      )}
    </Section>
  );
}
