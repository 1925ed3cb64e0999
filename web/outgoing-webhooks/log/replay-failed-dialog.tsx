import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { mostReplayed, webhookLogDays, type ReplayAnswer } from '#contract/integrations/outgoing-webhooks.ts';
import { sendJson } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { formatNumber } from '../../ui/locale.ts';
import { receiverPath, subscriptionsPath } from '../webhook-queries.ts';

const hourMs = 3_600_000;
const periods = [
  { value: '1', label: 'Hour' },
  { value: '24', label: '24 hours' },
  { value: String(webhookLogDays * 24), label: `${webhookLogDays} days` },
];

/** Sends the failed webhooks of a receiver again, oldest first. */
export function ReplayFailedDialog({
  integrationId,
  receiverId,
  onClose,
}: {
  integrationId: string;
  receiverId: string;
  onClose: () => void;
}) {
  const [hours, setHours] = useState('24');
  const client = useQueryClient();
  const path = receiverPath(integrationId, receiverId);
  const { data, ...replay } = useMutation({
    mutationFn: () =>
      sendJson<ReplayAnswer>('POST', `${path}/replay-failed`, {
        since: new Date(Date.now() - Number(hours) * hourMs).toISOString(),
      }),
    onSuccess: async () => {
      const stale = [`${path}/webhooks`, subscriptionsPath(integrationId)];
      await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
  return (
    <Dialog title="Replay failed webhooks" leaving="closes" onClose={onClose}>
      <Form
        submit="Replay failed"
        request={replay}
        onSubmit={() => replay.mutate()}
        beside={<Button onClick={onClose}>{data === undefined ? 'Cancel' : 'Close'}</Button>}
      >
        <p>
          They are sent in their order, with the ids that they had. The receiver should skip ids that it has
          handled.
        </p>
        <SelectField
          name="since"
          label="Created in the last"
          options={periods}
          value={hours}
          onChange={({ target }) => setHours(target.value)}
        />
        {data !== undefined && <output>{resultText(data)}</output>}
      </Form>
    </Dialog>
  );
}

function resultText({ replayed, hasMore }: ReplayAnswer): string {
  if (replayed === 0 && !hasMore) return 'No webhook failed in this time.';
  const queued =
    replayed === 1 ? '1 webhook is queued again.' : `${formatNumber(replayed)} webhooks are queued again.`;
  return hasMore
    ? `${queued} More are left: replay again, at most ${formatNumber(mostReplayed)} at once.`
    : queued;
}
