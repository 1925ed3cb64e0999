import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Pause from 'lucide-react/icons/pause';
import Pencil from 'lucide-react/icons/pencil';
import Play from 'lucide-react/icons/play';
import Send from 'lucide-react/icons/send';
import Trash2 from 'lucide-react/icons/trash-2';
import type { LucideIcon } from 'lucide-react';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { IconButton } from '../../ui/button.tsx';
import { FormError } from '../../ui/form/form.tsx';
import type { OpenSubscriptionDialog } from './subscription-dialogs.tsx';
import { useSendTest } from './use-send-test.ts';
import { useSetEnabled } from './use-set-enabled.ts';

/** What admins do with a subscription. */
export function SubscriptionActions({
  integrationId,
  subscription,
  reason,
  onOpen,
}: {
  integrationId: string;
  subscription: WebhookSubscription;
  /** Why this person cannot change it. */
  reason: string | undefined;
  onOpen: (dialog: OpenSubscriptionDialog) => void;
}) {
  const { name, enabled } = subscription;
  const test = useSendTest(integrationId, subscription.subscriptionId);
  const setEnabled = useSetEnabled(integrationId, subscription);
  const enable = useMutation({ mutationFn: () => setEnabled(true) });
  const error = test.error ?? enable.error;
  const opener = (what: 'form' | 'secret' | 'deletion', label: string, Icon: LucideIcon) => (
    <IconButton label={label} reason={reason} onClick={() => onOpen({ what, subscription })}>
      <Icon size={15} aria-hidden />
    </IconButton>
  );
  return (
    <>
      <span className="inline-flex">
        <IconButton
          label={`Send a test to ${name}`}
          reason={reason ?? (enabled ? undefined : 'Enable the subscription first')}
          disabled={test.isPending}
          onClick={() => test.mutate()}
        >
          <Send size={15} aria-hidden />
        </IconButton>
        {opener('form', `Edit ${name}`, Pencil)}
        {opener('secret', `Replace the signing secret of ${name}`, KeyRound)}
        {/* One button in both states, so that it keeps the focus. */}
        <IconButton
          label={`${enabled ? 'Disable' : 'Enable'} ${name}`}
          reason={reason}
          disabled={enable.isPending}
          onClick={() => (enabled ? onOpen({ what: 'pause', subscription }) : enable.mutate())}
        >
          {enabled ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
        </IconButton>
        {opener('deletion', `Delete ${name}`, Trash2)}
      </span>
      {error && (
        <div className="basis-full">
          <FormError error={error} />
        </div>
      )}
    </>
  );
}
