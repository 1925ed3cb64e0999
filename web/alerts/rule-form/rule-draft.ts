import { redConclusions, type RuleConclusion } from '#contract/runs/conclusions.ts';
import {
  ruleWatches,
  type Channel,
  type ChannelInput,
  type ChannelType,
  type DigestDay,
  type GroupChoice,
  type NotificationRule,
  type NotifyMode,
  type PatternName,
  type RuleBody,
  type RuleEvent,
  type RuleWatch,
  type SlowerSubject,
} from '#contract/alerts/alerts.ts';
import { timeZone } from '../../ui/locale.ts';
import { suggestedName } from './suggested-name.ts';
import type { NotifySearch } from '../notify-search.ts';
import { patternsOf, patternText } from '../pattern-text.ts';

/** A channel in the form. */
export interface ChannelDraft {
  /** React key of the form row. A stored channel also has a `channelId`. */
  key: string;
  channelId: string | undefined;
  type: ChannelType;
  /** Comma-separated addresses. */
  to: string;
  url: string;
  /** Host of the stored URL. The URL itself is never shown again. */
  host: string | null;
  /** A channel of another rule that this one copies. `to` or `url` is then its name. */
  copyOf?: string | undefined;
  /** Only for a stored channel of type `webhook`. */
  renewSecret: boolean;
}

/** A rule in the form. Patterns are texts such as `acme/*, !acme/docs`. */
export interface RuleDraft extends Record<PatternName, string> {
  name: string;
  enabled: boolean;
  watch: RuleWatch;
  /** Empty for the rhythm of the scheduled runs. */
  everyHours: string;
  queueMinutes: string;
  /** Comma-separated. */
  labels: string;
  slowerSubject: SlowerSubject;
  slowerPercent: string;
  slowerRuns: string;
  digestDay: DigestDay;
  digestHour: string;
  timeZone: string;
  /** `branches` narrows it further. */
  defaultBranchOnly: boolean;
  events: readonly RuleEvent[];
  conclusions: readonly RuleConclusion[];
  failureGroups: GroupChoice;
  ignoreQuarantined: boolean;
  ignoreBots: boolean;
  firstAttemptOnly: boolean;
  notifyOnRecovery: boolean;
  notify: NotifyMode;
  cooldownMinutes: string;
  channels: readonly ChannelDraft[];
}

/** What the fields of a rule get. */
export interface DraftProps {
  draft: RuleDraft;
  onChange: (change: Partial<RuleDraft>) => void;
}

export function emptyDraft(): RuleDraft {
  return {
    name: '',
    enabled: true,
    watch: 'failure',
    everyHours: '',
    queueMinutes: '15',
    labels: '',
    slowerSubject: 'workflow',
    slowerPercent: '50',
    slowerRuns: '10',
    digestDay: 'monday',
    digestHour: '9',
    timeZone: timeZone(),
    events: ['run', 'job'],
    conclusions: [...redConclusions],
    failureGroups: 'all',
    defaultBranchOnly: true,
    repositories: '',
    workflows: '',
    jobs: '',
    branches: '',
    actors: '',
    ignoreQuarantined: false,
    ignoreBots: false,
    firstAttemptOnly: false,
    notifyOnRecovery: true,
    notify: 'incident',
    cooldownMinutes: '30',
    channels: [emptyChannel('slack')],
  };
}

/** The rule that mails the person about it. Without a branch it is the default branch. */
export function notifyDraft(
  { watch: kind, repository, workflow, branch }: NotifySearch,
  email: string | null,
): RuleDraft {
  const draft = emptyDraft();
  const only = (name: string | undefined) =>
    patternText({ include: name === undefined ? [] : [name], exclude: [] });
  if (repository === undefined && workflow === undefined && branch === undefined) return draft;
  return {
    ...draft,
    watch: ruleWatches.find((each) => each === kind) ?? draft.watch,
    repositories: only(repository),
    workflows: only(workflow),
    branches: only(branch),
    defaultBranchOnly: branch === undefined,
    channels: email === null ? draft.channels : [{ ...emptyChannel('email'), to: email }],
  };
}

let channels = 0;

export function emptyChannel(type: ChannelType): ChannelDraft {
  return {
    key: `new-${++channels}`,
    channelId: undefined,
    type,
    to: '',
    url: '',
    host: null,
    renewSecret: false,
  };
}

export function draftOf(rule: NotificationRule): RuleDraft {
  const { name, enabled, events, conclusions, ignoreBots, firstAttemptOnly, notifyOnRecovery, notify } = rule;
  return {
    name,
    enabled,
    watch: rule.watch,
    everyHours: String(rule.everyHours ?? ''),
    queueMinutes: String(rule.queueMinutes),
    labels: labelText(rule.labels),
    slowerSubject: rule.slowerSubject,
    slowerPercent: String(rule.slowerPercent),
    slowerRuns: String(rule.slowerRuns),
    digestDay: rule.digestDay,
    digestHour: String(rule.digestHour),
    timeZone: rule.timeZone,
    events,
    conclusions,
    failureGroups: rule.failureGroups,
    ignoreQuarantined: rule.ignoreQuarantined,
    defaultBranchOnly: rule.defaultBranchOnly,
    ignoreBots,
    firstAttemptOnly,
    notifyOnRecovery,
    notify,
    cooldownMinutes: String(rule.cooldownMinutes),
    repositories: patternText(rule.repositories),
    workflows: patternText(rule.workflows),
    jobs: patternText(rule.jobs),
    branches: patternText(rule.branches),
    actors: patternText(rule.actors),
    channels: rule.channels.map(channelDraft),
  };
}

function channelDraft({ channelId, type, to, host }: Channel): ChannelDraft {
  return { key: channelId, channelId, type, to: (to ?? []).join(', '), url: '', host, renewSecret: false };
}

/** The request body. The server validates it field by field. */
export function bodyOf(draft: RuleDraft): RuleBody {
  const { events, conclusions, ignoreBots, firstAttemptOnly, notifyOnRecovery, notify, enabled } = draft;
  return {
    name: draft.name.trim() || suggestedName(draft),
    enabled,
    watch: draft.watch,
    everyHours: draft.everyHours.trim() === '' ? null : Number(draft.everyHours),
    queueMinutes: Number(draft.queueMinutes || 0),
    labels: labelsOf(draft.labels),
    slowerSubject: draft.slowerSubject,
    slowerPercent: Number(draft.slowerPercent || 0),
    slowerRuns: Number(draft.slowerRuns || 0),
    digestDay: draft.digestDay,
    digestHour: Number(draft.digestHour),
    timeZone: draft.timeZone,
    events: [...events],
    conclusions: [...conclusions],
    failureGroups: draft.failureGroups,
    ignoreQuarantined: draft.ignoreQuarantined,
    defaultBranchOnly: draft.defaultBranchOnly,
    repositories: patternsOf(draft.repositories),
    workflows: patternsOf(draft.workflows),
    jobs: patternsOf(draft.jobs),
    branches: patternsOf(draft.branches),
    actors: patternsOf(draft.actors),
    ignoreBots,
    firstAttemptOnly,
    notifyOnRecovery,
    notify,
    cooldownMinutes: Number(draft.cooldownMinutes || 0),
    channels: draft.channels.map(channelInput),
  };
}

const hasUrl = (type: ChannelType): boolean => type !== 'email' && type !== 'owner';

function channelInput({ channelId, type, to, url, copyOf, renewSecret }: ChannelDraft): ChannelInput {
  if (copyOf !== undefined) return { type, copyOf };
  return {
    ...(channelId === undefined ? {} : { channelId }),
    type,
    ...(type === 'email' ? { to: parts(to) } : {}),
    ...(hasUrl(type) && url.trim() !== '' ? { url: url.trim() } : {}),
    ...(renewSecret ? { renewSecret } : {}),
  };
}

/** Labels are written like patterns, so that a label may contain a comma. */
function labelText(labels: readonly string[]): string {
  return patternText({ include: [...labels], exclude: [] });
}

function labelsOf(text: string): string[] {
  const { include, exclude } = patternsOf(text);
  return [...include, ...exclude.map((label) => `!${label}`)];
}

function parts(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
