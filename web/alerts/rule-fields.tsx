import {
  ruleConclusions,
  notifyModes,
  ruleEvents,
  type NotifyMode,
  type PatternName,
  type RuleConclusion,
  type RuleEvent,
} from '#contract/alerts.ts';
import { CheckField, FieldGroup, SelectField, TextField } from '../ui/form/field.tsx';
import type { RuleDraft } from './rule-draft.ts';

const eventNames: Record<RuleEvent, string> = { run: 'Runs', job: 'Jobs' };

const conclusionNames: Record<RuleConclusion, string> = {
  failure: 'Failed',
  timed_out: 'Timed out',
  startup_failure: 'Failed to start',
  action_required: 'Needs action',
  cancelled: 'Cancelled',
  stale: 'Stale',
};

const patternFields: Record<PatternName, { label: string; placeholder: string }> = {
  repositories: { label: 'Repositories', placeholder: 'all, or such as acme/*, !acme/docs' },
  workflows: { label: 'Workflows', placeholder: 'all, or such as CI, Release *' },
  branches: { label: 'Branches', placeholder: 'all, or such as main, release/*' },
  jobs: { label: 'Jobs', placeholder: 'all, or such as test (ubuntu-*, 20)' },
  actors: { label: 'Started by', placeholder: 'everybody, or such as !renovate*' },
};

const notifyNames: Record<NotifyMode, string> = {
  incident: 'Once per incident',
  every_failure: 'On every failure',
};

const notifyHints: Record<NotifyMode, string> = {
  incident: 'One message when a workflow breaks on a branch.',
  every_failure: 'A message for each failure that matches, also while the branch stays red.',
};

interface FieldsProps {
  draft: RuleDraft;
  onChange: (change: Partial<RuleDraft>) => void;
}

/** Which failures a rule waits for. */
export function MatchFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FieldGroup
          name="events"
          label="Look at"
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
          label="That ended as"
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
      <p className="text-muted">
        In patterns * is any text without /, ** any text, ! leaves out. Commas separate them; those in ( ) and
        in "quotes" belong to the name.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        {(Object.keys(patternFields) as PatternName[]).map((name) => (
          <TextField
            key={name}
            name={name}
            {...patternFields[name]}
            autoComplete="off"
            value={draft[name]}
            onChange={({ target }) => onChange({ [name]: target.value })}
          />
        ))}
      </div>
    </>
  );
}

/** When it speaks, and when it keeps quiet. */
export function QuietFields({ draft, onChange }: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FieldGroup label="When">
        <CheckField
          label="Tell when it is green again"
          checked={draft.notifyOnRecovery}
          onChange={({ target }) => onChange({ notifyOnRecovery: target.checked })}
        />
        <CheckField
          label="Leave out what bots started"
          checked={draft.ignoreBots}
          onChange={({ target }) => onChange({ ignoreBots: target.checked })}
        />
        <CheckField
          label="Leave out re-runs"
          checked={draft.firstAttemptOnly}
          onChange={({ target }) => onChange({ firstAttemptOnly: target.checked })}
        />
      </FieldGroup>
      <SelectField
        label="Notify"
        hint={notifyHints[draft.notify]}
        value={draft.notify}
        options={notifyModes.map((value) => ({ value, label: notifyNames[value] }))}
        onChange={({ target }) => onChange({ notify: target.value as NotifyMode })}
      />
      <TextField
        name="cooldownMinutes"
        label="Keep quiet for, in minutes"
        hint="After a message about a workflow on a branch. If it broke again and is still red then, you are told."
        inputMode="numeric"
        pattern="[0-9]{1,5}"
        title="Enter a number of minutes."
        value={draft.cooldownMinutes}
        onChange={({ target }) => onChange({ cooldownMinutes: target.value })}
      />
    </div>
  );
}

function toggled<T>(all: readonly T[], one: T): T[] {
  return all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
}
