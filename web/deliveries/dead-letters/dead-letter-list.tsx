import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeadLetter, Redriven } from '#contract/deliveries/deliveries.ts';
import { useConfig } from '../../api/config.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { PageError } from '../../ui/form/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { MoreButton } from '../../ui/table/more-button.tsx';
import { Table } from '../../ui/table/table.tsx';
import { deadLetterColumns } from './dead-letter-columns.tsx';
import { AllDeadLetters, NoDeadLetters } from './no-dead-letters.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../../ui/use-remove.ts';
import { sendJson } from '../../api/client.ts';
import { toast } from '../../ui/dialog/toast.ts';
import { formatCount } from '../../ui/locale.ts';

const askEveryMs = 15_000;

export function DeadLetterList({
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
