import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeadLetter, Redriven } from '#contract/deliveries/deliveries.ts';
import { sendJson } from '../api/client.ts';
import { useConfig } from '../api/config.ts';
import { usePages } from '../api/use-pages.ts';
import { ActivityTabs } from '../event-log/activity-tabs.tsx';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { reasonText } from './reason-texts.ts';

const askEveryMs = 15_000;

/** Dead letters with their reasons and actions. */
export function DeadLettersPage({ integrationId }: { integrationId: string }) {
  return (
    <>
      <PageHeader title={<PageTitle>Dead letters</PageTitle>} end={null} />
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <DeadLetterList integrationId={integrationId} />
      </PageBody>
    </>
  );
}

function DeadLetterList({ integrationId }: { integrationId: string }) {
  const path = `/api/integrations/${integrationId}/dead-letters`;
  const client = useQueryClient();
  const roleReason = useRoleReason(integrationId, 'admin');
  const days = useConfig()?.retention.deadLetterDays;
  const { reading, more, isReadingMore } = usePages<DeadLetter>(path, {}, askEveryMs);
  const [dropping, setDropping] = useState<DeadLetter>();
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const retry = useMutation({
    mutationFn: (messageIds: string[] | undefined) =>
      sendJson<Redriven>('POST', `${path}/redrive`, messageIds === undefined ? {} : { messageIds }),
    onSuccess: ({ redriven }) =>
      toast(redriven === 1 ? '1 message queued again' : `${redriven} messages queued again`),
    onSettled: readAgain,
  });
  const columns: Column<DeadLetter>[] = [
    {
      key: 'reason',
      header: 'Reason',
      renderCell: ({ reason, detail }) => (
        <span>
          <span className="font-medium text-failed">{reasonText(reason).title}</span>
          <span className="block text-xs text-muted">
            <code className="font-mono">{reason}</code>
            {detail !== null && `: ${detail}`}
          </span>
        </span>
      ),
    },
    {
      key: 'delivery',
      header: 'Delivery',
      renderCell: ({ messageId, event, repository }) => (
        <span>
          <Link
            to="/integrations/$integrationId/deliveries"
            params={{ integrationId }}
            search={{ open: messageId }}
            className="text-accent underline"
          >
            <bdi>{event ?? 'Delivery'}</bdi>
          </Link>
          {repository !== null && <bdi className="block text-xs text-muted">{repository}</bdi>}
        </span>
      ),
    },
    {
      key: 'sent',
      header: 'Sent',
      className: 'text-muted',
      renderCell: ({ sentAt }) => <TimeAgo time={sentAt} isFocusable />,
    },
    {
      key: 'dead',
      header: 'Failed',
      className: 'text-muted',
      renderCell: ({ deadAt }) => <TimeAgo time={deadAt} isFocusable />,
    },
    {
      key: 'actions',
      header: 'Actions',
      isUnnamed: true,
      isAtEnd: true,
      renderCell: (message) => (
        <span className="inline-flex gap-1">
          <Button
            reason={roleReason}
            disabled={retry.isPending}
            aria-label={`Retry message ${message.messageId}`}
            onClick={() => retry.mutate([message.messageId])}
          >
            Retry
          </Button>
          <Button
            reason={roleReason}
            aria-label={`Drop message ${message.messageId}`}
            onClick={() => setDropping(message)}
          >
            Drop
          </Button>
        </span>
      ),
    },
  ];
  return (
    <>
      {retry.error && (
        <div className="px-4 py-2">
          <FormError error={retry.error} />
        </div>
      )}
      <Loaded reading={reading} what="dead letters">
        {(messages) =>
          messages.length === 0 ? (
            <Message title="No dead letters">
              <p className="text-muted">
                Deliveries that could not be processed appear here. You can retry or drop them.
              </p>
            </Message>
          ) : (
            <>
              <div className="flex flex-wrap items-center gap-3 px-4 py-3">
                <p className="grow text-muted">
                  {days !== undefined && <>Kept for {days} days. </>}
                  Retry them after you fixed the cause. Outdated events are skipped.
                </p>
                <Button
                  reason={roleReason}
                  disabled={retry.isPending}
                  onClick={() => retry.mutate(undefined)}
                >
                  Retry all
                </Button>
              </div>
              <Table
                label="Dead letters"
                columns={columns}
                rows={messages}
                rowKey={({ messageId }) => messageId}
              />
            </>
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
      {dropping && (
        <ConfirmDialog
          title="Drop this message?"
          action="Drop"
          onConfirm={async () => {
            await sendJson('DELETE', `${path}/${dropping.messageId}`);
            toast('Message dropped');
            await readAgain();
          }}
          onClose={() => setDropping(undefined)}
        >
          <p>Its event will be missing. The forge does not send it again automatically.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
