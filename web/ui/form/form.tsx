import CircleAlert from 'lucide-react/icons/circle-alert';
import { useRef, type FormEvent, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { FormFaults } from './form-faults.ts';
import { useFaults, type FormFailure } from './use-faults.ts';

const nothing = { isPending: false, error: null };

/**
 * A form with one submit button. Field errors are shown at the field with that `name`, other errors above the button.
 * Input is kept.
 */
export function Form({
  submit,
  request = nothing,
  onSubmit,
  reason,
  variant = 'primary',
  children,
  onCancel,
  beside,
}: {
  /** The text of the submit button. */
  submit: string;
  /** What the form sends. A form that sends nothing has none. */
  request?: { isPending: boolean; error: FormFailure | null };
  onSubmit: () => void;
  /** Why this person cannot submit it. */
  reason?: string | undefined;
  variant?: 'plain' | 'primary' | 'danger';
  children?: ReactNode;
  /** Adds a cancel button. */
  onCancel?: (() => void) | undefined;
  /** Beside the submit button. */
  beside?: ReactNode;
}) {
  const { isPending, error } = request;
  const form = useRef<HTMLFormElement>(null);
  const { atFields, others, look, passes, forget } = useFaults(form, error);
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isPending && reason === undefined && passes(event.currentTarget)) onSubmit();
  };
  return (
    // The browser's own messages disappear and are not announced with the field.
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
        {onCancel && (
          <Button disabled={isPending} onClick={onCancel}>
            Cancel
          </Button>
        )}
        {isPending && <output className="text-muted">Sending…</output>}
      </div>
    </form>
  );
}

const withFaults = (message: string, faults: readonly { field: string; message: string }[]): string =>
  [message, ...faults.map((fault) => `${fault.field}: ${fault.message}`)].join(' ');

/** The error of an action on a page whose content has no margin. */
export function PageError({ error }: { error: FormFailure | null }) {
  return (
    error && (
      <div className="px-4 py-2">
        <FormError error={error} />
      </div>
    )
  );
}

/** The error of an action, shown beside its button. */
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
