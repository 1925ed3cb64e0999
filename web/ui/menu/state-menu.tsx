import ChevronDown from 'lucide-react/icons/chevron-down';
import { Button, plainLook } from '../button.tsx';
import { FormError } from '../form/form.tsx';

import type { Choice } from './menu-popup.tsx';
import { ChoiceMenu } from './menu.tsx';

/** A state that people choose; with a `reason` why they may not, a button that says it. */
export function StateMenu({
  name,
  label,
  value,
  choices,
  reason,
  error,
  onChoose,
}: {
  name: string;
  /** The state in words. */
  label: string;
  value: string;
  choices: readonly Choice[];
  reason: string | undefined;
  error: Error | null;
  onChoose: (value: string) => void;
}) {
  if (reason !== undefined)
    return (
      <Button reason={reason} aria-label={`${name}: ${label}`}>
        {label}
      </Button>
    );
  return (
    <>
      <ChoiceMenu label={name} className={plainLook} value={value} groups={[choices]} onChoose={onChoose}>
        <span className="sr-only">{name}: </span>
        {label}
        <ChevronDown size={14} aria-hidden className="shrink-0" />
      </ChoiceMenu>
      {error && <FormError error={error} />}
    </>
  );
}
