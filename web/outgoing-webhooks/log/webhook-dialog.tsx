import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  OutgoingWebhook,
  OutgoingWebhookDetail,
  WebhookAttempt,
} from '#contract/integrations/outgoing-webhooks.ts';
import { sendJson } from '../../api/client.ts';
import { jsonQuery } from '../../api/path-queries.ts';
import { retryAfter } from '../../api/problem.ts';
import { SearchedText } from '../../deliveries/body/searched-text.tsx';
import { useRoleReason } from '../../integrations/use-integration.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { toast } from '../../ui/dialog/toast.ts';
import { FormError } from '../../ui/form/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { receiverPath, subscriptionsPath, webhookPath } from '../webhook-queries.ts';
import { typeText } from '../webhook-texts.ts';
import { Outlook, StatusMark } from './status-mark.tsx';
import { Fact } from '../../ui/text/fact.tsx';
import { formatNumber } from '../../ui/locale.ts';

const askEveryMs = 2000;

/** One webhook: its attempts and its body. Members can replay it. */
export function WebhookDialog({
  integrationId,
  webhookId,
  onClose,
}: {
  integrationId: string;
  webhookId: string;
  onClose: () => void;
}) {
  const path = webhookPath(integrationId, webhookId);
  const reading = useQuery({
    ...jsonQuery<OutgoingWebhookDetail>(path),
    // Only while it can change: the body may be large.
    refetchInterval: ({ state }) =>
      retryAfter(state.error) ?? (state.data?.webhook.status === 'waiting' && askEveryMs),
  });
  return (
    <Dialog title="Outgoing webhook" place="wide" onClose={onClose}>
      <Loaded reading={reading} what="webhook" skeletonRows={4}>
        {({ webhook, attempts, body }) => (
          <div className="flex flex-col gap-4">
            <Summary integrationId={integrationId} path={path} webhook={webhook} />
            <Attempts attempts={attempts} />
            <section aria-label="Body">
              <h3 className="mb-1 font-semibold">Body</h3>
              {body === null ? (
                <p className="text-muted">The body was too large to be kept. It cannot be replayed.</p>
              ) : (
                <SearchedText body={body} />
              )}
            </section>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

function Summary({
  integrationId,
  path,
  webhook,
}: {
  integrationId: string;
  path: string;
  webhook: OutgoingWebhook;
}) {
  const { webhookId, type, status, createdAt } = webhook;
  const reason = useRoleReason(integrationId, 'member');
  const replay = useReplay(integrationId, path, webhook);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="font-semibold">
          {typeText(type)} <code className="font-mono text-xs font-normal text-muted">{type}</code>
        </span>
        <StatusMark status={status} />
        <Button
          className="ml-auto"
          reason={reason ?? (status === 'waiting' ? 'It waits for its next attempt' : undefined)}
          disabled={replay.isPending}
          aria-busy={replay.isPending}
          onClick={() => replay.mutate()}
        >
          Replay
        </Button>
      </div>
      {replay.error && <FormError error={replay.error} />}
      {status !== 'sent' && (
        <p>
          <Outlook webhook={webhook} />
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
        <Fact name="webhook-id">
          <CopyText name="webhook-id" text={webhookId} />
        </Fact>
        <Fact name="Created">{exactTime(createdAt)}</Fact>
      </dl>
    </>
  );
}

/** Sends it again with the same id and body. */
function useReplay(integrationId: string, path: string, { receiverId }: OutgoingWebhook) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => sendJson('POST', `${path}/replay`),
    onSuccess: () => {
      toast('Webhook queued again');
      const stale = [
        path,
        `${receiverPath(integrationId, receiverId)}/webhooks`,
        subscriptionsPath(integrationId),
      ];
      return Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}

/** The attempts to send a webhook, newest first. */
function Attempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  return (
    <section aria-label="Attempts">
      <h3 className="mb-1 font-semibold">Attempts</h3>
      {attempts.length === 0 ? (
        <p className="text-muted">It was not sent yet.</p>
      ) : (
        <ol className="max-h-60 overflow-y-auto">
          {attempts.map(({ number, at, durationMs, statusCode, problem }) => (
            <li key={number} className="flex flex-wrap gap-x-4 border-b border-line py-1">
              <span className="w-6 text-muted">{number}.</span>
              <time dateTime={at}>{exactTime(at)}</time>
              <span className={problem === null ? 'text-passed' : 'text-failed'}>
                {problem ?? `Accepted with ${statusCode}`}
              </span>
              <span className="ml-auto text-muted">{formatNumber(durationMs)} ms</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
