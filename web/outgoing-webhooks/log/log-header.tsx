import {
  outgoingWebhookStatuses,
  type OutgoingWebhookStatus,
} from '#contract/integrations/outgoing-webhooks.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { PageError } from '../../ui/form/form.tsx';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { BackLink } from '../../ui/page/back-link.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { useSendTest } from '../subscriptions/use-send-test.ts';
import { statuses } from './status-mark.tsx';
import type { Receiver } from './use-receiver.ts';

/** Title, filter and actions of a delivery log. */
export function LogHeader({
  integrationId,
  receiverId,
  receiver,
  status,
  reason,
  onFilter,
  onReplayFailed,
  onLeave,
}: {
  integrationId: string;
  receiverId: string;
  receiver: Receiver | undefined;
  status: OutgoingWebhookStatus | undefined;
  /** Why this person cannot replay. */
  reason: string | undefined;
  onFilter: (change: { status: OutgoingWebhookStatus | undefined }) => void;
  onReplayFailed: () => void;
  onLeave: () => void;
}) {
  const test = useSendTest(integrationId, receiverId);
  const testReason = useRoleReason(integrationId, 'admin');
  const subscription = receiver?.subscription;
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink
              integrationId={integrationId}
              to="/integrations/$integrationId/settings"
              name="settings"
              onClose={onLeave}
            />
            <PageTitle>
              {receiver === undefined ? 'Outgoing webhooks' : `Webhooks to ${clip(receiver.name, 60)}`}
            </PageTitle>
          </>
        }
        end={null}
      >
        <FilterMenu
          name="Status"
          value={status}
          groups={[outgoingWebhookStatuses.map((value) => ({ value, label: statuses[value].word }))]}
          onChoose={(chosen) => onFilter({ status: outgoingWebhookStatuses.find((each) => each === chosen) })}
        />
        {receiver !== undefined && (
          <span className="ml-auto flex flex-wrap gap-2">
            {subscription !== undefined && (
              <Button
                reason={testReason ?? (subscription.enabled ? undefined : 'Enable the subscription first')}
                disabled={test.isPending}
                onClick={() => test.mutate()}
              >
                Send test
              </Button>
            )}
            <Button reason={reason} onClick={onReplayFailed}>
              Replay failed…
            </Button>
          </span>
        )}
      </PageHeader>
      <PageError error={test.error} />
    </>
  );
}
