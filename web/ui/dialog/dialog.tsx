import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import X from 'lucide-react/icons/x';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, IconButton } from '../button.tsx';
import { HasMargins } from '../page/has-margins.ts';
import { placeOf } from '../table/place-of.ts';
import { discardQuestion, type LeaveQuestion } from './leave-question.ts';

const places = {
  middle:
    'top-1/2 left-1/2 max-h-[85dvh] w-[min(28rem,calc(100vw-2rem))] -translate-1/2 rounded-xl border p-5',
  wide: 'top-1/2 left-1/2 max-h-[90dvh] w-[min(56rem,calc(100vw-2rem))] -translate-1/2 rounded-xl border p-5',
  side: 'inset-y-0 left-0 w-[min(17rem,85vw)] border-r',
} as const;

/** A modal dialog in the middle or at the side of the page, open while it is rendered. */
export function Dialog({
  title,
  place = 'middle',
  onClose,
  leaving = 'asks',
  children,
}: {
  title: string;
  place?: keyof typeof places;
  onClose: () => void;
  /**
   * What Escape, the close button and a click outside do. `asks`: close, after a question if the form has input.
   * `closes`: close always. `barred`: nothing, for secrets that are shown only once, also while they are
   * created.
   */
  leaving?: 'asks' | 'closes' | 'barred';
  children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  const [inPlaceOfOpener] = useState(() => placeOf(document.activeElement));
  // Returns the focus to the opener, or to its place if it was removed.
  useEffect(
    () => () => {
      if (document.activeElement === document.body) inPlaceOfOpener()?.focus();
    },
    [inPlaceOfOpener],
  );
  const filledIn = useRef<HTMLFormElement | null>(null);
  const [isAsking, setAsking] = useState(false);
  const leave = (): void => {
    const isFilledIn = filledIn.current?.isConnected === true;
    if (leaving === 'asks' && isFilledIn) setAsking(true);
    else if (leaving !== 'barred') onClose();
  };
  return (
    <BaseDialog.Root open onOpenChange={leave}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop forceRender className="fixed inset-0 z-50 bg-black/35" />
        <BaseDialog.Popup
          ref={popup}
          // Focuses the first field instead of the close button, except a search field.
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>('input:not([type=search]), select, textarea') ?? true
          }
          onInput={({ target }) => {
            filledIn.current = (target as HTMLInputElement).form ?? filledIn.current;
          }}
          className={`fixed z-50 overflow-y-auto border-line-strong bg-raised shadow-float outline-hidden ${places[place]}`}
        >
          {place === 'side' ? (
            <BaseDialog.Title className="sr-only">{title}</BaseDialog.Title>
          ) : (
            <Heading title={title} canClose={leaving !== 'barred'} />
          )}
          <HasMargins value>{children}</HasMargins>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
      {isAsking && leaving === 'asks' && (
        <LeaveDialog {...discardQuestion} onLeave={onClose} onStay={() => setAsking(false)} />
      )}
    </BaseDialog.Root>
  );
}

function Heading({ title, canClose }: { title: string; canClose: boolean }) {
  return (
    <div className="mb-3 flex items-center justify-between gap-3">
      <BaseDialog.Title className="min-w-0 text-lg font-semibold wrap-anywhere">{title}</BaseDialog.Title>
      {canClose && (
        <BaseDialog.Close render={<IconButton label="Close" />}>
          <X size={16} aria-hidden />
        </BaseDialog.Close>
      )}
    </div>
  );
}

/** Asks whether to leave a form or a page. */
export function LeaveDialog({
  title,
  text,
  action,
  dismiss,
  onLeave,
  onStay,
}: LeaveQuestion & { onLeave: () => void; onStay: () => void }) {
  return (
    <Dialog title={title} leaving="closes" onClose={onStay}>
      <p>{text}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button variant="danger" onClick={onLeave}>
          {action}
        </Button>
        <Button onClick={onStay}>{dismiss}</Button>
      </div>
    </Dialog>
  );
}
