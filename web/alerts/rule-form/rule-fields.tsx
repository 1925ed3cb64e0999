import { ruleConclusions } from '#contract/runs/conclusions.ts';
import {
  groupChoices,
  notifyModes,
  ruleEvents,
  type GroupChoice,
  type NotifyMode,
  type PatternName,
  type RuleWatch,
} from '#contract/alerts/alerts.ts';
import { CheckField, FieldGroup, SelectField, TextField } from '../../ui/form/field.tsx';
import { NumberField } from './number-field.tsx';
import type { DraftProps } from './rule-draft.ts';
import { conclusionNames, eventNames, groupNames, notifyNames } from './rule-names.ts';

const patternFields: Record<PatternName, { label: string; placeholder: string }> = {
  repositories: { label: 'Repositories', placeholder: 'All, or for example acme/*, !acme/docs' },
  workflows: { label: 'Workflows', placeholder: 'All, or for example CI, Release *' },
  branches: { label: 'Branches', placeholder: 'All, or for example main, release/*' },
  jobs: { label: 'Jobs', placeholder: 'All, or for example test (ubuntu-*, 20)' },
  actors: { label: 'Started by', placeholder: 'Everyone, or for example !renovate*' },
};

const notifyHints: Record<NotifyMode, string> = {
  incident: 'One notification when a workflow breaks on a branch.',
  every_failure: 'One notification per matching failure, also while the branch stays broken.',
};

const groupHints: Record<GroupChoice, string> = {
  all: 'Whatever their cause.',
  unmarked: 'Failures whose group is marked as known flaky or ignored do not match.',
  new_on_default_branch: 'Failures with a cause that the default branch did not have before.',
};

/** Fields that select the failures a rule matches. */
export function MatchFields({ draft, onChange }: DraftProps) {
  const isAboutFailures = draft.watch === 'failure';
  return (
    <>
      {isAboutFailures && (
        <>
          <OutcomeFields draft={draft} onChange={onChange} />
          <SelectField
            name="failureGroups"
            label="Which failures"
            hint={groupHints[draft.failureGroups]}
            value={draft.failureGroups}
            options={groupChoices.map((value) => ({ value, label: groupNames[value] }))}
            onChange={({ target }) => onChange({ failureGroups: target.value as GroupChoice })}
          />
        </>
      )}
      <p className="text-muted">
        Separate patterns with commas. * matches any text except /, ** matches any text, a leading ! excludes.
        Put names that contain commas in "quotes" or in ( ).
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        {patternNamesOf(draft.watch).map((name) => (
          <TextField
            key={name}
            name={name}
            {...patternFields[name]}
            value={draft[name]}
            onChange={({ target }) => onChange({ [name]: target.value })}
          />
        ))}
      </div>
    </>
  );
}

const hasNoJobs: ReadonlySet<RuleWatch> = new Set(['did_not_run', 'test_broken', 'test_flaky']);

/** Those that the rule uses. */
function patternNamesOf(watch: RuleWatch): PatternName[] {
  return (Object.keys(patternFields) as PatternName[]).filter((name) => {
    if (watch === 'weekly_digest') return name === 'repositories';
    if (name === 'actors') return watch === 'failure';
    return name !== 'jobs' || !hasNoJobs.has(watch);
  });
}

function OutcomeFields({ draft, onChange }: DraftProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FieldGroup
        name="events"
        label="Events"
        problem={draft.events.length === 0 ? 'Choose at least one.' : undefined}
      >
        {ruleEvents.map((event) => (
          <CheckField
            key={event}
            label={eventNames[event]}
            checked={draft.events.includes(event)}
            onChange={() => onChange({ events: toggled(draft.events, event) })}
          />
        ))}
      </FieldGroup>
      <FieldGroup
        name="conclusions"
        label="Conclusion is one of"
        problem={draft.conclusions.length === 0 ? 'Choose at least one.' : undefined}
      >
        <div className="grid grid-cols-2">
          {ruleConclusions.map((conclusion) => (
            <CheckField
              key={conclusion}
              label={conclusionNames[conclusion]}
              checked={draft.conclusions.includes(conclusion)}
              onChange={() => onChange({ conclusions: toggled(draft.conclusions, conclusion) })}
            />
          ))}
        </div>
      </FieldGroup>
    </div>
  );
}

/** Fields that control when notifications are sent. */
export function QuietFields({ draft, onChange }: DraftProps) {
  const isAboutFailures = draft.watch === 'failure';
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FieldGroup label="When">
        <CheckField
          label="Notify on recovery"
          checked={draft.notifyOnRecovery}
          onChange={({ target }) => onChange({ notifyOnRecovery: target.checked })}
        />
        {isAboutFailures && (
          <>
            <CheckField
              label="Ignore failures of quarantined tests only"
              checked={draft.ignoreQuarantined}
              onChange={({ target }) => onChange({ ignoreQuarantined: target.checked })}
            />
            <CheckField
              label="Ignore runs started by bots"
              checked={draft.ignoreBots}
              onChange={({ target }) => onChange({ ignoreBots: target.checked })}
            />
            <CheckField
              label="Ignore re-runs"
              checked={draft.firstAttemptOnly}
              onChange={({ target }) => onChange({ firstAttemptOnly: target.checked })}
            />
          </>
        )}
      </FieldGroup>
      {isAboutFailures && (
        <SelectField
          label="Notify"
          hint={notifyHints[draft.notify]}
          value={draft.notify}
          options={notifyModes.map((value) => ({ value, label: notifyNames[value] }))}
          onChange={({ target }) => onChange({ notify: target.value as NotifyMode })}
        />
      )}
      <NumberField
        name="cooldownMinutes"
        label="Cooldown (minutes)"
        hint="Minimum time between notifications for the same workflow and branch. A failure that is still open afterwards is sent then."
        draft={draft}
        onChange={onChange}
      />
    </div>
  );
}

function toggled<T>(all: readonly T[], one: T): T[] {
  return all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
}
