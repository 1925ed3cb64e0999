import { useState } from 'react';
import { type OutgoingWebhook, webhookLogDays } from '#contract/integrations/outgoing-webhooks.ts';
import type { WebhookSubscription } from '#contract/integrations/webhook-subscriptions.ts';
import { isMissing } from '../../api/problem.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { UnknownItem } from '../../ui/page/back-link.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { MoreButton } from '../../ui/table/more-button.tsx';
import { Table, type Column, actionsColumn } from '../../ui/table/table.tsx';
import { receiverPath } from '../webhook-queries.ts';
import { Message } from '../../ui/page/message.tsx';
import { NoMatches } from '../../ui/page/no-matches.tsx';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/locale.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { answerText, typeText } from '../webhook-texts.ts';
import { LogHeader } from './log-header.tsx';
import type { WebhookLogFilter, WebhookLogSearch } from './log-search.ts';
import { useReceiver, type Receiver } from './use-receiver.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { Outlook, StatusMark } from './status-mark.tsx';

const ReplayFailedDialog = lazyPart(
  'replay-failed-dialog',
  'ReplayFailedDialog',
  () => import('./replay-failed-dialog.tsx'),
);

const askEveryMs = 5000;

/** The delivery log of a subscription, or of a webhook channel of a notification rule, newest first. */
export function WebhookLogPage({
  integrationId,
  receiverId,
  search: { open, ...filter },
  onFilter,
  onOpen,
  onClose,
  onLeave,
}: {
  integrationId: string;
  receiverId: string;
  search: WebhookLogSearch;
  onFilter: (change: WebhookLogFilter) => void;
  onOpen: (webhookId: string) => void;
  /** Closes the open webhook. */
  onClose: () => void;
  /** Back to the settings. */
  onLeave: () => void;
}) {
  const receiver = useReceiver(integrationId, receiverId);
  const reason = useRoleReason(integrationId, 'member');
  const [isReplaying, setReplaying] = useState(false);
  useShortcuts({ Escape: onLeave });
  return (
    <>
      <LogHeader
        integrationId={integrationId}
        receiverId={receiverId}
        receiver={receiver}
        filter={filter}
        reason={reason}
        onFilter={onFilter}
        onReplayFailed={() => setReplaying(true)}
        onLeave={onLeave}
      />
      <PageBody>
        <WebhookLog
          integrationId={integrationId}
          receiverId={receiverId}
          subscription={receiver?.subscription}
          filter={filter}
          columns={logColumns(reason, onOpen)}
          onFilter={onFilter}
        />
      </PageBody>
      {open !== undefined && (
        <WebhookDialog key={open} integrationId={integrationId} webhookId={open} onClose={onClose} />
      )}
      {isReplaying && (
        <ReplayFailedDialog
          integrationId={integrationId}
          receiverId={receiverId}
          onClose={() => setReplaying(false)}
        />
      )}
    </>
  );
}

function WebhookLog({
  integrationId,
  receiverId,
  subscription,
  filter,
  columns,
  onFilter,
}: {
  integrationId: string;
  receiverId: string;
  subscription: Receiver['subscription'];
  filter: WebhookLogFilter;
  columns: readonly Column<OutgoingWebhook>[];
  onFilter: (change: WebhookLogFilter) => void;
}) {
  const path = `${receiverPath(integrationId, receiverId)}/webhooks`;
  const { reading, more, isReadingMore } = usePages<OutgoingWebhook>(path, { ...filter }, askEveryMs);
  return (
    <>
      {isMissing(reading.error) ? (
        <UnknownItem integrationId={integrationId} list="settings" what="Subscription" />
      ) : (
        <Loaded reading={reading} what="webhooks">
          {(webhooks) =>
            webhooks.length === 0 ? (
              <NoWebhooks
                subscription={subscription}
                filter={filter}
                onClear={() => onFilter({ status: undefined, type: undefined })}
              />
            ) : (
              <Table
                label="Webhooks"
                columns={columns}
                rows={webhooks}
                rowKey={({ webhookId }) => webhookId}
              />
            )
          }
        </Loaded>
      )}
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}

/** Explains why the log is empty and what to do. */
function NoWebhooks({
  subscription,
  filter: { status, type },
  onClear,
}: {
  subscription: WebhookSubscription | undefined;
  filter: WebhookLogFilter;
  onClear: () => void;
}) {
  if (status !== undefined || type !== undefined) return <NoMatches what="webhooks" onClear={onClear} />;
  return (
    <Message title={`No webhooks in the last ${webhookLogDays} days`}>
      <p className="text-muted">
        {subscription === undefined
          ? 'A webhook appears here when the rule notifies.'
          : subscription.enabled
            ? 'A webhook appears here when one of the chosen events happens. Send a test to see whether the receiver works.'
            : 'The subscription is disabled. Enable it in the settings.'}
      </p>
    </Message>
  );
}

/** The columns of the delivery log. */
function logColumns(
  /** Why this person cannot open a webhook. */
  reason: string | undefined,
  onOpen: (webhookId: string) => void,
): Column<OutgoingWebhook>[] {
  return [
    {
      key: 'event',
      header: 'Event',
      renderCell: ({ type }) => <bdi className="font-medium">{typeText(type)}</bdi>,
    },
    {
      key: 'status',
      header: 'Status',
      renderCell: (webhook) => <Status webhook={webhook} />,
    },
    {
      key: 'answer',
      header: 'Answer',
      className: 'text-muted whitespace-nowrap',
      renderCell: (webhook) => (
        <>
          {answerText(webhook)}
          {webhook.durationMs !== null && `, ${formatNumber(webhook.durationMs)} ms`}
        </>
      ),
    },
    {
      key: 'attempts',
      header: 'Attempts',
      className: 'text-muted whitespace-nowrap',
      renderCell: ({ attempts }) => <Attempts attempts={attempts} />,
    },
    {
      key: 'created',
      header: 'Created',
      className: 'text-muted',
      renderCell: ({ createdAt }) => <TimeAgo time={createdAt} isFocusable />,
    },
    {
      ...actionsColumn,
      renderCell: ({ webhookId, type }) => (
        <Button
          reason={reason}
          aria-label={`Open webhook ${webhookId}, ${typeText(type)}`}
          onClick={() => onOpen(webhookId)}
        >
          Open
        </Button>
      ),
    },
  ];
}

function Status({ webhook }: { webhook: OutgoingWebhook }) {
  return (
    <>
      <StatusMark status={webhook.status} />
      <span className="block text-xs text-muted">
        <Outlook webhook={webhook} />
      </span>
    </>
  );
}

function Attempts({ attempts }: { attempts: number }) {
  return (
    <>
      {formatNumber(attempts)}
      {/* The column has no header on a small screen. */}
      <span className="columns:sr-only">{attempts === 1 ? ' attempt' : ' attempts'}</span>
    </>
  );
}
