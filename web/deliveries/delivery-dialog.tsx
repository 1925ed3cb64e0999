import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  DeliveryDetail,
  DeliveryStep,
  Replayed,
  RuleOutcome,
  StepOutcome,
} from '#contract/deliveries/deliveries.ts';
import { sendJson } from '../api/client.ts';
import { jsonQuery } from '../api/path-queries.ts';
import { isMissing } from '../api/problem.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { FormError } from '../ui/form/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { exactTime } from '../ui/time/exact-time.ts';
import { toast } from '../ui/dialog/toast.ts';
import { CopyText } from '../ui/text/copy-text.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { Fact } from '../ui/text/fact.tsx';
import { DeliveryBody } from './body/delivery-body.tsx';
import { NotArrived } from './no-deliveries.tsx';
import { isQueued, VerdictMark } from './verdict-mark.tsx';
import { reasonText } from './reason-texts.ts';

/** One delivery: steps, headers and body. Admins can replay it. */
export function DeliveryDialog({
  integrationId,
  deliveryId,
  onClose,
}: {
  integrationId: string;
  deliveryId: string;
  onClose: () => void;
}) {
  const path = `/api/integrations/${integrationId}/deliveries/${encodeURIComponent(deliveryId)}`;
  const reading = useQuery(jsonQuery<DeliveryDetail>(path));
  return (
    <Dialog title="Delivery" place="wide" onClose={onClose}>
      {isMissing(reading.error) ? (
        <Message title="Delivery not found">
          <code className="font-mono text-xs break-all">{deliveryId}</code>
          <NotArrived integrationId={integrationId} />
        </Message>
      ) : (
        <Loaded reading={reading} what="delivery" skeletonRows={4}>
          {(delivery) => <Detail integrationId={integrationId} path={path} delivery={delivery} />}
        </Loaded>
      )}
    </Dialog>
  );
}

function Detail({
  integrationId,
  path,
  delivery,
}: {
  integrationId: string;
  path: string;
  delivery: DeliveryDetail;
}) {
  const client = useQueryClient();
  const reason = useRoleReason(integrationId, 'admin');
  const replay = useMutation({
    mutationFn: () => sendJson<Replayed>('POST', `${path}/replay`),
    onSuccess: () => {
      toast('Delivery queued again');
      return client.invalidateQueries({ queryKey: [`/api/integrations/${integrationId}/deliveries`] });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="font-semibold">
          <bdi>{delivery.event}</bdi> <bdi className="font-normal text-muted">{delivery.action}</bdi>
        </span>
        <VerdictMark verdict={delivery.verdict} />
        {isQueued(delivery.verdict) && (
          <Button
            className="ml-auto"
            reason={reason}
            disabled={replay.isPending}
            aria-busy={replay.isPending}
            onClick={() => replay.mutate()}
          >
            Replay
          </Button>
        )}
      </div>
      {replay.error && <FormError error={replay.error} />}
      <DeliveryFacts integrationId={integrationId} delivery={delivery} />
      <Steps steps={delivery.steps} />
      <Headers headers={delivery.headers} />
      <DeliveryBody delivery={delivery} path={`${path}/body`} />
    </div>
  );
}

const outcomes: Record<StepOutcome, { word: string; colour: string }> = {
  done: { word: 'done', colour: 'text-passed' },
  skipped: { word: 'skipped', colour: 'text-idle' },
  waiting: { word: 'waiting', colour: 'text-waiting' },
  failed: { word: 'failed', colour: 'text-failed' },
  unknown: { word: 'not recorded', colour: 'text-idle' },
};

function Steps({ steps }: { steps: readonly DeliveryStep[] }) {
  return (
    <section aria-label="Steps">
      <h3 className="mb-1 font-semibold">Steps</h3>
      <ol>
        {steps.map(({ step, outcome, at, detail, rules = [] }) => (
          <li
            key={step}
            className="grid grid-cols-[5rem_minmax(0,1fr)] gap-x-4 border-b border-line py-1 sm:grid-cols-[5rem_6rem_minmax(0,1fr)]"
          >
            <span className="capitalize">{step}</span>
            <span className={outcomes[outcome].colour}>{outcomes[outcome].word}</span>
            <span className="col-span-2 text-muted sm:col-span-1">
              {detail ?? (at === null ? '' : exactTime(at))}
              {rules.length > 0 && <Rules rules={rules} />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const ruleOutcomes: Record<RuleOutcome, { word: string; colour: string }> = {
  sent: { word: 'sent', colour: 'text-passed' },
  waiting: outcomes.waiting,
  failed: outcomes.failed,
  suppressed: { word: 'suppressed', colour: 'text-idle' },
};

function Rules({ rules }: { rules: NonNullable<DeliveryStep['rules']> }) {
  return (
    <ul aria-label="Rules" className="mt-1">
      {rules.map(({ ruleId, name, outcome, detail }) => (
        <li key={ruleId}>
          <bdi className="font-medium">{name ?? 'A deleted rule'}</bdi>{' '}
          <span className={ruleOutcomes[outcome].colour}>{ruleOutcomes[outcome].word}</span>: {detail}
        </li>
      ))}
    </ul>
  );
}

function Headers({ headers }: { headers: DeliveryDetail['headers'] }) {
  if (headers.length === 0) return null;
  return (
    <section aria-label="Headers">
      <h3 className="mb-1 font-semibold">Headers</h3>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 font-mono text-xs">
        {headers.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Identity, time and origin of a delivery, and advice for its verdict. */
function DeliveryFacts({
  integrationId,
  delivery: { forgeDeliveryId, deliveryId, receivedAt, address, repository, verdict, reason },
}: {
  integrationId: string;
  delivery: DeliveryDetail;
}) {
  const text = reason === null ? undefined : reasonText(reason);
  return (
    <>
      {text !== undefined && (
        <p>
          <span className="font-medium">{text.title}.</span> {text.what} {text.advice}{' '}
          {verdict === 'dead' && (
            <TextLink
              to="/integrations/$integrationId/dead-letters"
              params={{ integrationId }}
              search={{ messageId: deliveryId }}
            >
              Open the dead letter
            </TextLink>
          )}
        </p>
      )}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
        <Fact name="Delivery ID">
          {forgeDeliveryId === null ? 'Not provided' : <CopyText name="delivery ID" text={forgeDeliveryId} />}
        </Fact>
        <Fact name="Forgewatch ID" className="font-mono text-xs">
          {deliveryId}
        </Fact>
        <Fact name="Received">{exactTime(receivedAt)}</Fact>
        {repository !== null && (
          <Fact name="Repository" className="break-words">
            <bdi>{repository}</bdi>
          </Fact>
        )}
        {address !== null && (
          <Fact name="Client address" className="font-mono text-xs">
            {address}
          </Fact>
        )}
      </dl>
    </>
  );
}
