import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeadLetter, Redriven } from '#contract/deliveries/deliveries.ts';
import { ActivityTabs } from '../../event-log/activity-tabs.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { useConfig } from '../../api/config.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { PageError } from '../../ui/form/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { MoreButton } from '../../ui/table/more-button.tsx';
import { Table } from '../../ui/table/table.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { sendJson } from '../../api/client.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { formatCount } from '../../ui/locale.ts';
import { Message } from '../../ui/page/message.tsx';
import { TextLink } from '../../ui/text/text-link.tsx';
import type { DeadLetterSearch } from './dead-letter-search.ts';
import { deadLetterColumns } from './dead-letter-columns.tsx';

/** Dead letters with their reasons and actions, or the one that a delivery became. */
export function DeadLettersPage({
  integrationId,
  search: { messageId },
}: {
  integrationId: string;
  search: DeadLetterSearch;
}) {
  return (
    <>
      <PageHeader title={<PageTitle>Dead letters</PageTitle>} end={null} />
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <DeadLetterList key={messageId} integrationId={integrationId} messageId={messageId} />
      </PageBody>
    </>
  );
}

const askEveryMs = 15_000;

function DeadLetterList({
  integrationId,
  messageId,
}: {
  integrationId: string;
  /** Only this one. */
  messageId: string | undefined;
}) {
  const path = `/api/integrations/${integrationId}/dead-letters`;
  const reason = useRoleReason(integrationId, 'admin');
  const { reading, more, isReadingMore } = usePages<DeadLetter>(path, { messageId }, askEveryMs);
  const [dropping, setDropping] = useState<DeadLetter>();
  const retry = useRetry(path);
  const columns = deadLetterColumns(integrationId, {
    reason,
    isRetrying: retry.isPending,
    onRetry: ({ messageId }) => retry.mutate([messageId]),
    onDrop: setDropping,
  });
  return (
    <>
      <PageError error={retry.error} />
      <Loaded reading={reading} what="dead letters">
        {(messages) =>
          messages.length === 0 ? (
            <NoDeadLetters integrationId={integrationId} messageId={messageId} />
          ) : (
            <>
              {messageId === undefined ? (
                <RetryAll
                  reason={reason}
                  isRetrying={retry.isPending}
                  onRetry={() => retry.mutate(undefined)}
                />
              ) : (
                <p className="px-4 py-3">
                  <AllDeadLetters integrationId={integrationId} />
                </p>
              )}
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
      {dropping && <DropDialog path={path} message={dropping} onClose={() => setDropping(undefined)} />}
    </>
  );
}

function RetryAll({
  reason,
  isRetrying,
  onRetry,
}: {
  reason: string | undefined;
  isRetrying: boolean;
  onRetry: () => void;
}) {
  const days = useConfig()?.retention.deadLetterDays;
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 py-3">
      <p className="grow text-muted">
        {days !== undefined && <>Kept for {days} days. </>}
        Retry them after you fixed the cause. Outdated events are skipped.
      </p>
      <Button reason={reason} disabled={isRetrying} onClick={onRetry}>
        Retry all
      </Button>
    </div>
  );
}

function DropDialog({ path, message, onClose }: { path: string; message: DeadLetter; onClose: () => void }) {
  const remove = useRemove(path);
  return (
    <ConfirmDialog
      title="Drop this message?"
      action="Drop"
      onConfirm={() => remove('Message dropped', message.messageId)}
      onClose={onClose}
    >
      <p>Its event will be missing. The forge does not send it again automatically.</p>
    </ConfirmDialog>
  );
}

/** Puts dead letters back in the queue. Without ids, all of them. */
function useRetry(path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (messageIds: string[] | undefined) =>
      sendJson<Redriven>('POST', `${path}/redrive`, messageIds === undefined ? {} : { messageIds }),
    onSuccess: ({ redriven }) => toast(`${formatCount(redriven, 'message')} queued again`),
    onSettled: () => client.invalidateQueries({ queryKey: [path] }),
  });
}

/** Explains why the list is empty, or why one dead letter is not there. */
function NoDeadLetters({
  integrationId,
  messageId,
}: {
  integrationId: string;
  messageId: string | undefined;
}) {
  if (messageId === undefined)
    return (
      <Message title="No dead letters">
        <p className="text-muted">
          Deliveries that could not be processed appear here. You can retry or drop them.
        </p>
      </Message>
    );
  return (
    <Message title="No such dead letter">
      <p className="text-muted">It was retried or dropped, or it is too old.</p>
      <p className="flex flex-wrap justify-center gap-x-6 gap-y-2">
        <TextLink
          to="/integrations/$integrationId/deliveries"
          params={{ integrationId }}
          search={{ open: messageId }}
        >
          Open its delivery
        </TextLink>
        <AllDeadLetters integrationId={integrationId} />
      </p>
    </Message>
  );
}

function AllDeadLetters({ integrationId }: { integrationId: string }) {
  return (
    <TextLink to="/integrations/$integrationId/dead-letters" params={{ integrationId }} search={{}}>
      All dead letters
    </TextLink>
  );
}
