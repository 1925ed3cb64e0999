import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { CopyText } from '../text/copy-text.tsx';

/** The end of a dialog with a text that is never shown again. The dialog is `barred` while it shows this, so only the button closes it. */
export function ShownOnce({
  done,
  name,
  text,
  children,
  onClose,
}: {
  /** What was done, as a sentence. */
  done: string;
  /** What the text is, for example `API token`. */
  name: string;
  text: string;
  /** What people need to know about it, as sentences. */
  children: ReactNode;
  onClose: () => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <output>{done} Copy it now: it is shown only once.</output>
      <CopyText name={name} text={text} />
      <p className="text-muted">{children}</p>
      <Button variant="primary" className="self-start" onClick={onClose}>
        I have saved it
      </Button>
    </div>
  );
}
