import type { OutgoingWebhook } from '#contract/integrations/outgoing-webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/locale.ts';
import { actionsColumn, type Column } from '../../ui/table/table.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { answerText, typeText } from '../webhook-texts.ts';
import { Outlook, StatusMark } from './status-mark.tsx';

/** The columns of the delivery log. */
export function logColumns(
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
