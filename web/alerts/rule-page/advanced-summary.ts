import { formatCount } from '../../ui/locale.ts';
import { patternsOf } from '../pattern-text.ts';
import { emptyDraft, type RuleDraft } from '../rule-form/rule-draft.ts';
import { conclusionNames, eventNames, groupNames, notifyNames, watchNames } from '../rule-form/rule-names.ts';

/** What differs from a new rule, as one line. */
export function advancedSummary(draft: RuleDraft): string {
  const usual = emptyDraft();
  const isAboutFailures = draft.watch === 'failure';
  const parts = [
    !draft.enabled && 'off',
    draft.name.trim() !== '' && `“${draft.name.trim()}”`,
    !isAboutFailures && watchNames[draft.watch],
    ...(['workflows', 'jobs', ...(isAboutFailures ? (['actors'] as const) : [])] as const).map((name) =>
      countText(draft[name], name),
    ),
    ...(isAboutFailures ? failureParts(draft, usual) : []),
    ...(draft.watch === 'weekly_digest' ? [] : quietParts(draft, usual)),
    draft.channels.length > 1 && `${draft.channels.length} channels`,
  ].filter((part) => part !== false && part !== '');
  return parts.length === 0 ? 'Defaults' : parts.join(' · ');
}

function quietParts(draft: RuleDraft, usual: RuleDraft): (string | false)[] {
  return [
    !draft.notifyOnRecovery && 'no recovery',
    draft.cooldownMinutes !== usual.cooldownMinutes && `cooldown ${Number(draft.cooldownMinutes || 0)} min`,
  ];
}

function failureParts(draft: RuleDraft, usual: RuleDraft): (string | false)[] {
  return [
    draft.events.length === 1 && `${draft.events.map((event) => eventNames[event]).join()} only`,
    [...draft.conclusions].sort().join() !== [...usual.conclusions].sort().join() &&
      draft.conclusions.map((each) => conclusionNames[each]).join(', '),
    draft.failureGroups !== usual.failureGroups && groupNames[draft.failureGroups],
    draft.ignoreQuarantined && 'no quarantined tests',
    draft.ignoreBots && 'no bots',
    draft.firstAttemptOnly && 'no re-runs',
    draft.notify !== usual.notify && notifyNames[draft.notify],
  ];
}

const nouns = { workflows: 'workflow', jobs: 'job', actors: 'person' } as const;

function countText(patterns: string, name: keyof typeof nouns): string {
  const { include, exclude } = patternsOf(patterns);
  const count = include.length + exclude.length;
  return count === 0 ? '' : formatCount(count, `${nouns[name]} pattern`);
}
