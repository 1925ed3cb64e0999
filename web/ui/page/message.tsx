import CircleAlert from 'lucide-react/icons/circle-alert';
import { useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';

/** Replaces an empty list: why it is empty and what to do. */
export function Message({
  title,
  icon,
  children,
}: {
  title: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section
      aria-label={title}
      className="mx-auto flex w-full max-w-2xl flex-col items-center gap-3 px-5 py-14 text-center"
    >
      {icon}
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** A load error with the request id of the server log. */
export function Failure({
  title,
  error,
  onRetry,
}: {
  title: string;
  error: { message: string; requestId?: string | undefined };
  onRetry: () => unknown;
}) {
  return (
    <div role="alert">
      <Message title={title} icon={<CircleAlert size={22} aria-hidden className="text-failed" />}>
        <p className="text-muted">{error.message}</p>
        <TryAgain onRetry={onRetry} />
        <RequestId id={error.requestId} />
      </Message>
    </div>
  );
}

/** The same as one line, above data that is still shown. */
export function FailureLine({
  title,
  error,
  onRetry,
  hasMargins = false,
}: {
  title: string;
  error: { message: string; requestId?: string | undefined };
  onRetry: () => unknown;
  /** Its surroundings have them. */
  hasMargins?: boolean;
}) {
  return (
    <div
      role="alert"
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 ${hasMargins ? '' : 'border-b border-line px-4'}`}
    >
      <CircleAlert size={15} aria-hidden className="text-failed" />
      <span className="max-w-max grow basis-56">
        {title} <span className="text-muted">{error.message}</span>
      </span>
      <TryAgain onRetry={onRetry} />
      <RequestId id={error.requestId} />
    </div>
  );
}

/** Says that the request runs, because its error stays until the answer arrives. */
function TryAgain({ onRetry }: { onRetry: () => unknown }) {
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    await onRetry();
    setRunning(false);
  };
  return (
    <Button disabled={isRunning} aria-busy={isRunning} onClick={() => void run()}>
      {isRunning ? 'Trying again…' : 'Try again'}
    </Button>
  );
}

function RequestId({ id }: { id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <p className="text-xs text-muted">
      Request <code className="font-mono break-all select-all">{id}</code>
    </p>
  );
}
