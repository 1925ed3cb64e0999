import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDashed from 'lucide-react/icons/circle-dashed';
import CirclePause from 'lucide-react/icons/circle-pause';
import CircleX from 'lucide-react/icons/circle-x';
import {
  mostFailedCount,
  mostWaitingWebhooks,
  type WebhookSubscription,
} from '#contract/integrations/webhook-subscriptions.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { TimeAgo, TimeFor } from '../../ui/time/time.tsx';
import { PlannedTime } from '../../ui/time/planned-time.tsx';
import { countText, stateOf, stoppedTexts, type SubscriptionState } from '../webhook-texts.ts';

const marks: Record<SubscriptionState, { word: string; colour: string; Icon: typeof CircleX }> = {
  working: { word: 'Working', colour: 'text-passed', Icon: CircleCheck },
  unused: { word: 'Nothing sent yet', colour: 'text-idle', Icon: CircleDashed },
  failing: { word: 'Failing', colour: 'text-failed', Icon: CircleX },
  stopped: { word: 'Disabled by Forgewatch', colour: 'text-failed', Icon: CirclePause },
  disabled: { word: 'Disabled', colour: 'text-idle', Icon: CirclePause },
};

/** The state of a subscription with its reason, the webhooks that wait and failed, and a link to the delivery log. */
export function SubscriptionStateLines({
  integrationId,
  subscription,
}: {
  integrationId: string;
  subscription: WebhookSubscription;
}) {
  const state = stateOf(subscription);
  const { word, colour, Icon } = marks[state];
  return (
    <>
      <p className="min-w-0 break-words">
        <Icon size={15} aria-hidden className={`mr-1.5 -mt-0.5 inline ${colour}`} />
        <span className={colour}>{word}</span>
        <Details state={state} subscription={subscription} />
      </p>
      <Counts integrationId={integrationId} subscription={subscription} />
    </>
  );
}

function Details({ state, subscription }: { state: SubscriptionState; subscription: WebhookSubscription }) {
  const { failingSince, disabledReason, lastProblem, lastSuccessAt, nextAttemptAt, previousSecretUntil } =
    subscription;
  return (
    <>
      {state === 'failing' && failingSince !== null && (
        <>
          {' '}
          <TimeFor time={failingSince} isFocusable />: {lastProblem}
        </>
      )}
      {state === 'failing' && nextAttemptAt !== null && (
        <>
          {' '}
          Next attempt at <PlannedTime time={nextAttemptAt} />.
        </>
      )}
      {disabledReason !== null && `: ${stoppedTexts[disabledReason]}`}
      {disabledReason === 'failing' && lastProblem !== null && ` Last problem: ${lastProblem}`}
      {state === 'working' && lastSuccessAt !== null && (
        <span className="text-muted">
          , last webhook <TimeAgo time={lastSuccessAt} isFocusable />
        </span>
      )}
      {previousSecretUntil !== null && (
        <span className="block text-muted">
          The previous signing secret signs too until {exactTime(previousSecretUntil)}.
        </span>
      )}
    </>
  );
}

function Counts({
  integrationId,
  subscription: { subscriptionId, name, waiting, failed },
}: {
  integrationId: string;
  subscription: WebhookSubscription;
}) {
  const params = { integrationId, receiverId: subscriptionId };
  const counts = [
    { status: 'waiting', text: countText(waiting, 'waiting', mostWaitingWebhooks) },
    { status: 'failed', text: countText(failed, 'failed', mostFailedCount) },
  ] as const;
  return (
    <p className="flex flex-wrap gap-x-4">
      <TextLink
        to="/integrations/$integrationId/settings/webhooks/$receiverId"
        params={params}
        state={{ isFromList: true }}
        aria-label={`Delivery log of ${name}`}
      >
        Delivery log
      </TextLink>
      {counts.map(
        ({ status, text }) =>
          text !== undefined && (
            <TextLink
              key={status}
              to="/integrations/$integrationId/settings/webhooks/$receiverId"
              params={params}
              search={{ status }}
              state={{ isFromList: true }}
              aria-label={`${text} of ${name}`}
            >
              {text}
            </TextLink>
          ),
      )}
    </p>
  );
}
