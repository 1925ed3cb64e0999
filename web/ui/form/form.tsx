import CircleAlert from 'lucide-react/icons/circle-alert';
import { useRef, type FormEvent, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { FormFaults } from './form-faults.ts';
import { useFaults, type FormFailure } from './use-faults.ts';

/**
 * Fields with one button that sends them. What is wrong with a field stands at the field of that `name`, everything else
 * above the button, and nothing that was entered is lost.
 */
export function Form({
  submit,
  isPending,
  error,
  onSubmit,
  reason,
  variant = 'primary',
  children,
  beside,
}: {
  /** What the button says. */
  submit: string;
  isPending: boolean;
  error: FormFailure | null;
  onSubmit: () => void;
  /** Why it cannot be sent by this person. */
  reason?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger';
  children?: ReactNode;
  /** Stands beside the button, such as one that cancels. */
  beside?: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const { atFields, others, look, passes, forget } = useFaults(form, error);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending && reason === undefined && passes(event.currentTarget)) onSubmit();
  };
  return (
    // The browser's own bubbles go after a moment, and are not read out with the field.
    <form
      ref={form}
      noValidate
      className="flex flex-col gap-4"
      onClickCapture={look}
      onSubmit={send}
      onChange={forget}
    >
      <FormFaults value={atFields}>{children}</FormFaults>
      {atFields.length > 0 && <p className="text-failed">Correct the marked fields.</p>}
      {error !== null && (others.length > 0 || !error.fields?.length) && (
        <FormError error={{ ...error, message: withFaults(error.message, others) }} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant={variant} reason={reason} aria-busy={isPending} disabled={isPending}>
          {submit}
        </Button>
        {beside}
        {isPending && <output className="text-muted">Sending…</output>}
      </div>
    </form>
  );
}

const withFaults = (message: string, faults: readonly { field: string; message: string }[]): string =>
  [message, ...faults.map((fault) => `${fault.field}: ${fault.message}`)].join(' ');

/** Why an action failed, where it was asked for. */
export function FormError({ error }: { error: FormFailure }) {
  return (
    <div role="alert" className="flex items-start gap-2 text-failed">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0">
        {error.message}
        {error.requestId !== undefined && (
          <span className="block text-xs text-muted">
            Request <code className="font-mono break-all select-all">{error.requestId}</code>
          </span>
        )}
      </div>
    </div>
  );
}
