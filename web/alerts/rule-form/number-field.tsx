import { TextField } from '../../ui/form/field.tsx';
import type { DraftProps } from './rule-draft.ts';

/** A field for one of the whole numbers of a rule. */
export function NumberField({
  draft,
  onChange,
  name,
  ...texts
}: DraftProps & {
  name: 'everyHours' | 'queueMinutes' | 'slowerPercent' | 'slowerRuns' | 'cooldownMinutes';
  label: string;
  hint?: string;
}) {
  return (
    <TextField
      {...texts}
      name={name}
      inputMode="numeric"
      pattern="[0-9]{1,5}"
      title="Enter a number."
      value={draft[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
}
