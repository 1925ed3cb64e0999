import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import X from 'lucide-react/icons/x';
import { useRef, type ReactNode } from 'react';
import { IconButton } from './button.tsx';

const places = {
  middle:
    'top-1/2 left-1/2 max-h-[85dvh] w-[min(28rem,calc(100vw-2rem))] -translate-1/2 rounded-xl border p-5',
  wide: 'top-1/2 left-1/2 max-h-[90dvh] w-[min(56rem,calc(100vw-2rem))] -translate-1/2 rounded-xl border p-5',
  side: 'inset-y-0 left-0 w-[min(17rem,85vw)] border-r',
} as const;

/** A window over the page, in its middle or at its side. Focus stays in it, Escape closes it. */
export function Dialog({
  title,
  place = 'middle',
  isOpen,
  onOpenChange,
  children,
}: {
  title: string;
  place?: keyof typeof places;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <BaseDialog.Popup
          ref={popup}
          // The first thing to fill in, where there is one, and not the button that closes. A search can wait.
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>('input:not([type=search]), select, textarea') ?? true
          }
          className={`fixed z-50 overflow-y-auto border-line-strong bg-raised shadow-float outline-hidden ${places[place]}`}
        >
          {place === 'side' ? (
            <BaseDialog.Title className="sr-only">{title}</BaseDialog.Title>
          ) : (
            <div className="mb-3 flex items-center justify-between">
              <BaseDialog.Title className="text-lg font-semibold">{title}</BaseDialog.Title>
              <BaseDialog.Close render={<IconButton label="Close" />}>
                <X size={16} aria-hidden />
              </BaseDialog.Close>
            </div>
          )}
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
