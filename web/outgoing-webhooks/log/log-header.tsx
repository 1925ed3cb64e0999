import { outgoingWebhookStatuses } from '#contract/integrations/outgoing-webhooks.ts';
import {
  channelWebhookTypes,
  eventWebhookTypes,
  webhookTypes,
  type WebhookType,
} from '#contract/integrations/webhook-types.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { PageError } from '../../ui/form/form.tsx';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { BackLink } from '../../ui/page/back-link.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { useSendTest } from '../subscriptions/use-send-test.ts';
import { typeText } from '../webhook-texts.ts';
import type { WebhookLogFilter } from './log-search.ts';
import { statuses } from './status-mark.tsx';
import type { Receiver } from './use-receiver.ts';

/** A subscription never gets what rules send, and a channel gets nothing else. Both get tests. */
function typesOf({ subscription }: Receiver): (readonly WebhookType[])[] {
  return [subscription === undefined ? channelWebhookTypes : eventWebhookTypes, ['test']];
}

/** Title, filters and actions of a delivery log. */
export function LogHeader({
  integrationId,
  receiverId,
  receiver,
  filter,
  reason,
  onFilter,
  onReplayFailed,
  onLeave,
}: {
  integrationId: string;
  receiverId: string;
  receiver: Receiver | undefined;
  filter: WebhookLogFilter;
  /** Why this person cannot replay. */
  reason: string | undefined;
  onFilter: (change: WebhookLogFilter) => void;
  onReplayFailed: () => void;
  onLeave: () => void;
}) {
  const test = useSendTest(integrationId, receiverId);
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="settings" onClose={onLeave} />
            <PageTitle>
              {receiver === undefined ? 'Outgoing webhooks' : `Webhooks to ${clip(receiver.name, 60)}`}
            </PageTitle>
          </>
        }
        end={null}
      >
        {receiver !== undefined && (
          <>
            <LogFilters receiver={receiver} filter={filter} onFilter={onFilter} />
            <Actions
              integrationId={integrationId}
              subscription={receiver.subscription}
              reason={reason}
              isSending={test.isPending}
              onSendTest={() => test.mutate()}
              onReplayFailed={onReplayFailed}
            />
          </>
        )}
      </PageHeader>
      <PageError error={test.error} />
    </>
  );
}

function Actions({
  integrationId,
  subscription,
  reason,
  isSending,
  onSendTest,
  onReplayFailed,
}: {
  integrationId: string;
  subscription: Receiver['subscription'];
  reason: string | undefined;
  isSending: boolean;
  onSendTest: () => void;
  onReplayFailed: () => void;
}) {
  const testReason = useRoleReason(integrationId, 'admin');
  return (
    <span className="ml-auto flex flex-wrap gap-2">
      {subscription !== undefined && (
        <Button
          reason={testReason ?? (subscription.enabled ? undefined : 'Enable the subscription first')}
          disabled={isSending}
          onClick={onSendTest}
        >
          Send test
        </Button>
      )}
      <Button reason={reason} onClick={onReplayFailed}>
        Replay failed…
      </Button>
    </span>
  );
}

function LogFilters({
  receiver,
  filter: { status, type },
  onFilter,
}: {
  receiver: Receiver;
  filter: WebhookLogFilter;
  onFilter: (change: WebhookLogFilter) => void;
}) {
  return (
    <>
      <FilterMenu
        name="Status"
        value={status}
        groups={[outgoingWebhookStatuses.map((value) => ({ value, label: statuses[value].word }))]}
        onChoose={(chosen) => onFilter({ status: outgoingWebhookStatuses.find((each) => each === chosen) })}
      />
      <FilterMenu
        name="Event"
        value={type}
        groups={typesOf(receiver).map((types) => types.map((value) => ({ value, label: typeText(value) })))}
        onChoose={(chosen) => onFilter({ type: webhookTypes.find((each) => each === chosen) })}
      />
    </>
  );
}
