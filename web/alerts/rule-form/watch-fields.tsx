import {
  digestDays,
  ruleWatches,
  slowerSubjects,
  type DigestDay,
  type RuleWatch,
  type SlowerSubject,
} from '#contract/alerts/alerts.ts';
import { SelectField, TextField } from '../../ui/form/field.tsx';
import { NumberField } from './number-field.tsx';
import { timeZones } from '../../ui/locale.ts';
import type { DraftProps } from './rule-draft.ts';
import { dayNames, hourText, watchNames } from './rule-names.ts';

const watchHints: Record<RuleWatch, string> = {
  failure: 'Completed runs and jobs.',
  did_not_run: 'Opens an incident when the next run is overdue; the next run closes it.',
  queued_too_long: 'Opens one incident for each label; it closes when no job waits too long.',
  got_slower: 'Compares the median of the last successful runs with the median of 30 days.',
  test_broken:
    'Opens one incident for all tests that broke in a run; it closes when they pass. Not for tests in quarantine.',
  test_flaky:
    'Opens one incident for all tests that became flaky in a run; it closes after 14 days without a flake. Not for tests in quarantine.',
  weekly_digest:
    'Sends once a week what became worse, what failed most and what it cost, if there is something to say.',
};

const subjectNames: Record<SlowerSubject, string> = { workflow: 'Workflows', job: 'Jobs' };

/** What the rule watches, and the numbers of rules about what did not happen. */
export function WatchFields(props: DraftProps) {
  const { draft, onChange } = props;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        name="watch"
        label="Watch for"
        hint={watchHints[draft.watch]}
        value={draft.watch}
        options={ruleWatches.map((value) => ({ value, label: watchNames[value] }))}
        onChange={({ target }) => onChange({ watch: target.value as RuleWatch })}
      />
      {draft.watch === 'did_not_run' && (
        <NumberField
          {...props}
          name="everyHours"
          label="At least one run in (hours)"
          hint="Empty: the rhythm of the workflow's scheduled runs."
        />
      )}
      {draft.watch === 'queued_too_long' && <QueueFields {...props} />}
      {draft.watch === 'got_slower' && <SlowerFields {...props} />}
      {draft.watch === 'weekly_digest' && <DigestFields {...props} />}
    </div>
  );
}

function QueueFields(props: DraftProps) {
  const { draft, onChange } = props;
  return (
    <>
      <NumberField {...props} name="queueMinutes" label="Longest wait (minutes)" />
      <TextField
        name="labels"
        label="Labels"
        hint="Separate labels with commas. Empty: all."
        value={draft.labels}
        onChange={({ target }) => onChange({ labels: target.value })}
      />
    </>
  );
}

function SlowerFields(props: DraftProps) {
  const { draft, onChange } = props;
  return (
    <>
      <SelectField
        label="Compare"
        value={draft.slowerSubject}
        options={slowerSubjects.map((value) => ({ value, label: subjectNames[value] }))}
        onChange={({ target }) => onChange({ slowerSubject: target.value as SlowerSubject })}
      />
      <NumberField {...props} name="slowerPercent" label="Slower by (%)" />
      <NumberField {...props} name="slowerRuns" label="Over the last (runs)" />
    </>
  );
}

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }));

function DigestFields({ draft, onChange }: DraftProps) {
  const { digestDay, digestHour, timeZone } = draft;
  // Zones have several names, and browsers list one of them.
  const zones = [...new Set([...timeZones(), timeZone])];
  return (
    <>
      <SelectField
        name="digestDay"
        label="Day"
        value={digestDay}
        options={digestDays.map((value) => ({ value, label: dayNames[value] }))}
        onChange={({ target }) => onChange({ digestDay: target.value as DigestDay })}
      />
      <SelectField
        name="digestHour"
        label="Hour"
        value={digestHour}
        options={hours}
        onChange={({ target }) => onChange({ digestHour: target.value })}
      />
      <SelectField
        name="timeZone"
        label="Time zone"
        value={timeZone}
        options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        onChange={({ target }) => onChange({ timeZone: target.value })}
      />
    </>
  );
}
