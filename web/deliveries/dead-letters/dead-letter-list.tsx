import { useState } from 'react';
import type { DeadLetter } from '#contract/deliveries/deliveries.ts';
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
import { DropDialog } from './drop-dialog.tsx';
import { useRetry } from './use-retry.ts';

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
