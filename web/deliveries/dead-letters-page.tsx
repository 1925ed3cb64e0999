import { useMutation, useQueryClient } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import type { DeadLetter, Redriven } from '#contract/deliveries.ts';
import { sendJson } from '../api/client.ts';
import { useConfig } from '../api/config.ts';
import { usePages } from '../api/use-pages.ts';
import { ActivityTabs } from '../event-log/activity-tabs.tsx';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { FormError } from '../ui/form.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Message } from '../ui/message.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { PageBody } from '../ui/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page-header.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

const askEveryMs = 15_000;

/** Messages that could not be processed: why, and what to do with them. */
export function DeadLettersPage({ integrationId }: { integrationId: string }) {
  const reason = useRoleReason(integrationId, 'admin');
  return (
    <>
      <PageHeader title={<PageTitle>Dead letters</PageTitle>} end={null} />
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        {reason === undefined ? (
          <Letters integrationId={integrationId} />
        ) : (
          <Message title="Dead letters are for admins">
            <p className="text-muted">{reason}.</p>
          </Message>
        )}
      </PageBody>
    </>
  );
}

function Letters({ integrationId }: { integrationId: string }) {
  const path = `/api/integrations/${integrationId}/dead-letters`;
  const client = useQueryClient();
  const days = useConfig()?.retention.deadLetterDays;
  const { reading, more, isReadingMore } = usePages<DeadLetter>(path, {}, askEveryMs);
  const [dropping, setDropping] = useState<DeadLetter>();
  const readAgain = () => client.invalidateQueries({ queryKey: [path] });
  const redrive = useMutation({
    mutationFn: (messageIds: string[] | undefined) =>
      sendJson<Redriven>('POST', `${path}/redrive`, messageIds === undefined ? {} : { messageIds }),
    onSuccess: ({ redriven }) =>
      toast(redriven === 1 ? '1 message is queued again' : `${redriven} messages are queued again`),
    onSettled: readAgain,
  });
  const columns: Column<DeadLetter>[] = [
    {
      key: 'reason',
      header: 'Reason',
      renderCell: ({ reason, detail }) => (
        <span>
          <span className="font-medium text-failed">{reason}</span>
          {detail !== null && <span className="block text-xs text-muted">{detail}</span>}
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
      renderCell: (letter) => (
        <span className="inline-flex gap-1">
          <Button
            disabled={redrive.isPending}
            aria-label={`Redrive message ${letter.messageId}`}
            onClick={() => redrive.mutate([letter.messageId])}
          >
            Redrive
          </Button>
          <IconButton label={`Drop message ${letter.messageId}`} onClick={() => setDropping(letter)}>
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </span>
      ),
    },
  ];
  return (
    <>
      {redrive.error && (
        <div className="px-4 py-2">
          <FormError error={redrive.error} />
        </div>
      )}
      <Loaded reading={reading} what="dead letters">
        {(letters) =>
          letters.length === 0 ? (
            <Message title="No dead letters">
              <p className="text-muted">Everything that was accepted was processed, or still is.</p>
            </Message>
          ) : (
            <>
              <div className="flex flex-wrap items-center gap-3 px-4 py-3">
                <p className="grow text-muted">
                  {days !== undefined && <>They are kept for {days} days. </>}
                  Redrive them once the cause is mended; what is out of date by then is skipped by itself.
                </p>
                <Button disabled={redrive.isPending} onClick={() => redrive.mutate(undefined)}>
                  Redrive all
                </Button>
              </div>
              <Table
                label="Dead letters"
                columns={columns}
                rows={letters}
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
            toast('The message was dropped');
            await readAgain();
          }}
          onClose={() => setDropping(undefined)}
        >
          <p>What it tells of will be missing. The forge does not send it again by itself.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
