import { useState, type ComponentProps } from 'react';
import { defaultGraceHours } from '#contract/integrations/integrations.ts';
import { SelectField } from '../../ui/form/field.tsx';
import { Form } from '../../ui/form/form.tsx';
import { graceChoices } from './grace-choices.ts';

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
