import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CircleX from 'lucide-react/icons/circle-x';
import type { OutgoingWebhook, OutgoingWebhookStatus } from '#contract/integrations/outgoing-webhooks.ts';
import { PlannedTime } from '../../ui/time/planned-time.tsx';
import { WordMark, type Mark } from '../../ui/text/word-mark.tsx';

export const statuses: Record<OutgoingWebhookStatus, Mark> = {
  waiting: { word: 'Waiting', colour: 'text-waiting', Icon: CircleDashed },
  sent: { word: 'Sent', colour: 'text-passed', Icon: CircleCheck },
  failed: { word: 'Failed', colour: 'text-failed', Icon: CircleX },
};

/** The status of a webhook as icon, word and colour. */
export function StatusMark({ status }: { status: OutgoingWebhookStatus }) {
  return <WordMark mark={statuses[status]} />;
}

/** What went wrong last, and when it is sent again. */
export function Outlook({
  webhook: { status, problem, attempts, nextAttemptAt },
}: {
  webhook: OutgoingWebhook;
}) {
  return (
    <>
      {status !== 'sent' && problem}
      {status === 'waiting' && nextAttemptAt !== null && (
        <>
          {' '}
          Next attempt at <PlannedTime time={nextAttemptAt} />.
        </>
      )}
      {status === 'waiting' && attempts === 0 && 'Not sent yet.'}
    </>
  );
}
