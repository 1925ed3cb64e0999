import { useState, type ComponentProps } from 'react';
import { defaultGraceHours, maxGraceHours } from '#contract/integrations/integrations.ts';
import { SelectField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';

/** How long a replaced secret stays valid, in hours. */
const graceChoices = [
  { value: '0', label: 'Expires immediately (the secret is compromised)' },
  { value: '1', label: 'For 1 hour' },
  { value: String(defaultGraceHours), label: 'For 1 day' },
  { value: String(maxGraceHours), label: 'For 7 days' },
];

/** Asks how long the previous secret stays valid. */
export function ReplaceSecretForm({
  label,
  onReplace,
  children,
  ...form
}: {
  /** Of the choice. */
  label: string;
  onReplace: (graceHours: number) => void;
} & Pick<ComponentProps<typeof Form>, 'request' | 'onCancel' | 'children'>) {
  const [graceHours, setGraceHours] = useState(String(defaultGraceHours));
  return (
    <Form submit="Replace secret" onSubmit={() => onReplace(Number(graceHours))} {...form}>
      {children}
      <SelectField
        name="graceHours"
        label={label}
        options={graceChoices}
        value={graceHours}
        onChange={({ target }) => setGraceHours(target.value)}
      />
    </Form>
  );
}
