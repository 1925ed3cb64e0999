import { Link } from '@tanstack/react-router';
import History from 'lucide-react/icons/history';
import Pencil from 'lucide-react/icons/pencil';
import Send from 'lucide-react/icons/send';
import Trash2 from 'lucide-react/icons/trash-2';
import {
  patternNames,
  type GroupChoice,
  type NotificationRule,
  type RuleWatch,
} from '#contract/alerts/alerts.ts';
import { IconButton, iconLink } from '../ui/button.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { timeOf } from '../ui/table/sort-rows.ts';
import { actionsColumn, Table, type Column } from '../ui/table/table.tsx';
import { TimeAgo, TimeFor } from '../ui/time/time.tsx';
import { channelTarget } from './channel-texts.ts';
import { patternText } from './pattern-text.ts';
import { dayNames, hourText } from './rule-form/rule-names.ts';

interface RuleTableProps {
  integrationId: string;
  rules: readonly NotificationRule[];
  /** Why this person cannot change rules. */
  reason: string | undefined;
  isTesting: boolean;
  onTest: (rule: NotificationRule) => void;
  onHistory: (rule: NotificationRule) => void;
  onDelete: (rule: NotificationRule) => void;
}

export function RuleTable({ rules, ...actions }: RuleTableProps) {
  return (
    <Table
      label="Notification rules"
      columns={[...columns, actionsOf(actions)]}
      rows={rules}
      rowKey={({ ruleId }) => ruleId}
    />
  );
}

const columns: Column<NotificationRule>[] = [
  {
    key: 'name',
    header: 'Rule',
    sortBy: ({ name }) => name,
    renderCell: (rule) => (
      <span>
        <bdi className="font-medium">{rule.name}</bdi>
        {!rule.enabled && <span className="text-muted"> (off)</span>}
        <bdi className="block text-xs text-muted">{patternsInWords(rule)}</bdi>
      </span>
    ),
  },
  {
    key: 'channels',
    header: 'Sends to',
    sortBy: ({ channels }) => channels.map(channelTarget).join(', ') || null,
    renderCell: ({ channels }) =>
      channels.length === 0 ? (
        <span className="text-running">No channel</span>
      ) : (
        <bdi>{channels.map(channelTarget).join(', ')}</bdi>
      ),
  },
  {
    key: 'last',
    header: 'Last notification',
    sortBy: ({ lastSentAt }) => timeOf(lastSentAt),
    className: 'text-muted',
    renderCell: ({ lastSentAt, firedIn30Days: fired, watch, failing, channels }) => (
      <span>
        {lastSentAt === null ? 'Never' : <TimeAgo time={lastSentAt} isFocusable />}
        {lastSentAt !== null && watch !== 'weekly_digest' && (
          <span className="block text-xs">{formatCount(fired, 'incident')} in 30 days</span>
        )}
        {failing !== null && (
          <span className="block text-xs wrap-anywhere text-failed">
            {channels.length > 1 && `${failing.channels} of ${formatCount(channels.length, 'channel')} `}
            Failing <TimeFor time={failing.since} isFocusable />: <bdi>{clip(failing.problem, 200)}</bdi>
          </span>
        )}
      </span>
    ),
  },
];

function actionsOf({
  integrationId,
  reason,
  isTesting,
  onTest,
  onHistory,
  onDelete,
}: Omit<RuleTableProps, 'rules'>): Column<NotificationRule> {
  return {
    ...actionsColumn,
    renderCell: (rule) => (
      <span className="inline-flex">
        <IconButton
          label={`Send a test notification for ${rule.name}`}
          reason={reason}
          disabled={isTesting}
          onClick={() => onTest(rule)}
        >
          <Send size={15} aria-hidden />
        </IconButton>
        <IconButton label={`Notifications of ${rule.name}`} onClick={() => onHistory(rule)}>
          <History size={15} aria-hidden />
        </IconButton>
        <Link
          to="/integrations/$integrationId/rules/$ruleId"
          params={{ integrationId, ruleId: rule.ruleId }}
          state={{ isFromList: true }}
          aria-label={`Edit ${rule.name}`}
          title={`Edit ${rule.name}`}
          className={`${iconLink} text-muted hover:text-text`}
        >
          <Pencil size={15} aria-hidden />
        </Link>
        <IconButton label={`Delete ${rule.name}`} reason={reason} onClick={() => onDelete(rule)}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      </span>
    ),
  };
}

const groupTexts: Record<GroupChoice, string[]> = {
  all: [],
  unmarked: ['no known flaky or ignored failures'],
  new_on_default_branch: ['new failures of the default branch'],
};

const watchTexts: Record<RuleWatch, (rule: NotificationRule) => string[]> = {
  failure: ({ failureGroups }) => groupTexts[failureGroups],
  did_not_run: ({ everyHours }) => [everyHours === null ? 'missed its rhythm' : `no run in ${everyHours} h`],
  queued_too_long: ({ queueMinutes, labels }) => [
    `jobs wait over ${queueMinutes} min${labels.length === 0 ? '' : ` for ${labels.join(', ')}`}`,
  ],
  got_slower: ({ slowerSubject, slowerPercent }) => [`${slowerSubject} slower by ${slowerPercent} %`],
  test_broken: () => ['a test breaks on the default branch'],
  test_flaky: () => ['a test becomes flaky'],
  weekly_digest: ({ digestDay, digestHour, timeZone }) => [
    `${dayNames[digestDay]} at ${hourText(digestHour)}, ${timeZone}`,
  ],
};

function patternsInWords(rule: NotificationRule): string {
  const narrowed = patternNames.flatMap((name) => {
    const text = patternText(rule[name]);
    return text === '' ? [] : [`${name} ${text}`];
  });
  const branch = rule.defaultBranchOnly && rule.watch !== 'weekly_digest' ? ['the default branch'] : [];
  const all = [...watchTexts[rule.watch](rule), ...branch, ...narrowed];
  return all.length === 0 ? 'everything' : all.join('; ');
}
