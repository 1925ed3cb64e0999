import type { NotificationRule } from '#contract/alerts/alerts.ts';
import type { Notification, NotificationKind, NotificationStatus } from '#contract/alerts/incidents.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { usePages } from '../api/use-pages.ts';
import { Dialog } from '../ui/dialog/dialog.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';
import { rulesPath } from './alert-paths.ts';
import { channelNames } from './channel-texts.ts';

export interface OpenRuleDialog {
  what: 'history' | 'deletion';
  rule: NotificationRule;
}

/** The history or the deletion of a rule. They load when the first one opens. */
export function RuleDialogs({
  integrationId,
  open,
  onClose,
}: {
  integrationId: string;
  open: OpenRuleDialog;
  onClose: () => void;
}) {
  const remove = useRemove(rulesPath(integrationId));
  const { what, rule } = open;
  if (what === 'history') return <RuleHistory integrationId={integrationId} rule={rule} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete the rule “${rule.name}”?`}
      action="Delete"
      onConfirm={() => remove('Rule deleted', rule.ruleId)}
      onClose={onClose}
    >
      <p>
        The rule sends no more notifications, and its notification history is deleted. Incidents are kept.
      </p>
    </ConfirmDialog>
  );
}

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
function RuleHistory({
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
