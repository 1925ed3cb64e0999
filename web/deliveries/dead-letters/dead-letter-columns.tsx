import type { DeadLetter } from '#contract/deliveries/deliveries.ts';
import { Button } from '../../ui/button.tsx';
import { actionsColumn, type Column } from '../../ui/table/table.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { reasonText } from '../reason-texts.ts';
import { TextLink } from '../../ui/text/text-link.tsx';

export function deadLetterColumns(integrationId: string, actions: ActionsProps): Column<DeadLetter>[] {
  return [
    {
      key: 'reason',
      header: 'Reason',
      className: 'columns:w-1/2',
      renderCell: ({ reason, detail }) => <Reason reason={reason} detail={detail} />,
    },
    {
      key: 'delivery',
      header: 'Delivery and payload',
      renderCell: ({ messageId, event, repository }) => (
        <span>
          <TextLink
            to="/integrations/$integrationId/deliveries"
            params={{ integrationId }}
            search={{ open: messageId }}
          >
            <bdi>{event ?? 'Delivery'}</bdi>
          </TextLink>
          {repository !== null && <bdi className="block text-xs text-muted">{repository}</bdi>}
        </span>
      ),
    },
    {
      key: 'sent',
      header: 'Sent',
      className: 'text-muted',
      renderCell: ({ sentAt }) => (
        <>
          <span className="columns:hidden">sent </span>
          <TimeAgo time={sentAt} isFocusable />
        </>
      ),
    },
    {
      key: 'dead',
      header: 'Failed',
      className: 'text-muted',
      renderCell: ({ deadAt }) => (
        <>
          <span className="columns:hidden">failed </span>
          <TimeAgo time={deadAt} isFocusable />
        </>
      ),
    },
    {
      ...actionsColumn,
      renderCell: (message) => <Actions {...actions} message={message} />,
    },
  ];
}

/** What happened and what to do, above the code of the reason and its detail. */
function Reason({ reason, detail }: Pick<DeadLetter, 'reason' | 'detail'>) {
  const { title, what, advice } = reasonText(reason);
  return (
    <span className="block max-w-2xl">
      <span className="font-medium text-failed">{title}</span>
      {advice !== undefined && (
        <span className="block">
          {what} {advice}
        </span>
      )}
      <span className="block text-xs text-muted">
        <code className="font-mono">{reason}</code>
        {detail !== null && `: ${detail}`}
      </span>
    </span>
  );
}

interface ActionsProps {
  /** Why this person may not act on them. */
  reason: string | undefined;
  isRetrying: boolean;
  onRetry: (message: DeadLetter) => void;
  onDrop: (message: DeadLetter) => void;
}

function Actions({ reason, isRetrying, onRetry, onDrop, message }: ActionsProps & { message: DeadLetter }) {
  return (
    <span className="inline-flex gap-1">
      <Button
        reason={reason}
        disabled={isRetrying}
        aria-label={`Retry message ${message.messageId}`}
        onClick={() => onRetry(message)}
      >
        Retry
      </Button>
      <Button
        reason={reason}
        aria-label={`Drop message ${message.messageId}`}
        onClick={() => onDrop(message)}
      >
        Drop
      </Button>
    </span>
  );
}
