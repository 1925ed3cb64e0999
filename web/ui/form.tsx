import CircleAlert from 'lucide-react/icons/circle-alert';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';

interface FormFailure {
  message: string;
  requestId?: string | undefined;
}

/** Fields with one button that sends them; what went wrong stands above it, and nothing that was entered is lost. */
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
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!isPending && reason === undefined) onSubmit();
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={send}>
      {children}
      {error !== null && <FormError error={error} />}
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
