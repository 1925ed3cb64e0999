import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyText } from '../../ui/text/copy-text.tsx';

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
    <div className="flex flex-col gap-3">
      <output>{done} Copy the signing secret now: it is shown only once.</output>
      <CopyText name="signing secret" text={secret} />
      <p className="text-muted">
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
      </p>
      <Button variant="primary" className="self-start" onClick={onClose}>
        I have saved it
      </Button>
    </div>
  );
}
