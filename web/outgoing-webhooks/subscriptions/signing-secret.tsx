import type { ReactNode } from 'react';
import { ShownOnce } from '../../ui/dialog/shown-once.tsx';

/** A new signing secret, which is shown only once. */
export function SigningSecret({
  done,
  secret,
  note,
  onClose,
}: {
  /** What was done. */
  done: string;
  secret: string;
  note?: ReactNode;
  onClose: () => void;
}) {
  return (
    <ShownOnce done={done} name="signing secret" text={secret} onClose={onClose}>
      {note} The receiver verifies webhooks with it, for example with a library of{' '}
      <a
        href="https://www.standardwebhooks.com"
        target="_blank"
        rel="noreferrer"
        className="text-accent underline"
      >
        Standard Webhooks
      </a>
      .
    </ShownOnce>
  );
}
