import type { NotificationRule } from '#contract/alerts/alerts.ts';
import type { Notification, NotificationKind, NotificationStatus } from '#contract/alerts/incidents.ts';
import { usePages } from '../api/use-pages.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { rulesPath } from './alert-paths.ts';
import { channelNames } from './channel-texts.ts';

const kinds: Record<NotificationKind, string> = {
  opened: 'Failure',
  repeated: 'Failed again',
  recovered: 'Recovery',
  digest: 'Weekly digest',
  test: 'Test',
};
const statuses: Record<NotificationStatus, { word: string; colour: string }> = {
  waiting: { word: 'waiting', colour: 'text-waiting' },
  sent: { word: 'sent', colour: 'text-passed' },
  failed: { word: 'failed', colour: 'text-failed' },
  held_back: { word: 'suppressed', colour: 'text-idle' },
};

const askEveryMs = 10_000;

/** The notifications of a rule with their status. */
export function RuleHistory({
  integrationId,
  rule,
  onClose,
}: {
  integrationId: string;
  rule: NotificationRule;
  onClose: () => void;
}) {
  const path = `${rulesPath(integrationId)}/${rule.ruleId}/deliveries`;
  const { reading, more, isReadingMore } = usePages<Notification>(path, {}, askEveryMs);
  return (
    <Dialog title={`Notifications of ${rule.name}`} place="wide" onClose={onClose}>
      <WebhookLogs integrationId={integrationId} rule={rule} />
      <Loaded reading={reading} what="notifications" skeletonRows={4}>
        {(notifications) =>
          notifications.length === 0 ? (
            <Message title="No notifications yet">
              <p className="text-muted">
                {rule.channels.length === 0
                  ? 'This rule has no channel. Edit it to add one.'
                  : 'They are listed here when the rule matches a failure.'}
              </p>
            </Message>
          ) : (
            <ul aria-label="Notifications">
              {notifications.map((notification) => (
                <Line key={notification.notificationId} notification={notification} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </Dialog>
  );
}

/** Signed webhooks have a delivery log, from where they can be replayed. */
function WebhookLogs({ integrationId, rule }: { integrationId: string; rule: NotificationRule }) {
  const webhooks = rule.channels.filter(({ type }) => type === 'webhook');
  return webhooks.map(({ channelId, host }) => (
    <p key={channelId} className="mb-2">
      <TextLink
        to="/integrations/$integrationId/settings/webhooks/$receiverId"
        params={{ integrationId, receiverId: channelId }}
        state={{ isFromList: true }}
      >
        Delivery log of {host ?? 'the webhook'}
      </TextLink>
    </p>
  ));
}

function Line({ notification }: { notification: Notification }) {
  const { word, colour } = statuses[notification.status];
  const about = [notification.repository, notification.workflow, notification.branch].filter(
    (text) => text !== null,
  );
  return (
    <li className="border-b border-line py-2">
      <div className="flex flex-wrap gap-x-3">
        <span className="font-medium">{kinds[notification.kind]}</span>
        <span className={colour}>{word}</span>
        <bdi className="text-muted">
          {channelNames[notification.channelType]}: {notification.target}
        </bdi>
        <span className="ml-auto text-muted">
          <TimeAgo time={notification.createdAt} isFocusable />
        </span>
      </div>
      {about.length > 0 && <bdi className="block text-muted">{about.join(' · ')}</bdi>}
      {notification.problem !== null && <p className="text-failed">{notification.problem}</p>}
    </li>
  );
}
