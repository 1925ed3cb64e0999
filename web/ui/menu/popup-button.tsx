import { useRef, useState, type ComponentType, type ReactNode, type RefObject } from 'react';

/** What a popup needs from its button. */
export interface PopupPlace {
  button: RefObject<HTMLElement | null>;
  place: HTMLElement;
  onClose: () => void;
}

/** A button that opens a popup beside itself. */
export function PopupButton<Content extends object>({
  kind,
  Popup,
  content,
  className,
  children,
  onOpenChange,
  opensAtOnce = false,
}: {
  kind: 'menu' | 'dialog';
  Popup: ComponentType<Content & PopupPlace>;
  content: Content;
  className: string;
  children: ReactNode;
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
  /** Opens the popup on mount. */
  opensAtOnce?: boolean | undefined;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const [isOpen, setOpen] = useState(opensAtOnce);
  const change = (wantsOpen: boolean): void => {
    if (!wantsOpen && place?.contains(document.activeElement) === true) button.current?.focus();
    setOpen(wantsOpen);
    onOpenChange?.(wantsOpen);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup={kind}
        aria-expanded={isOpen}
        className={className}
        onClick={() => change(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          change(true);
        }}
      >
        {children}
      </button>
      {isOpen && (
        // Beside the button, so that Tab goes on from there without focus guards.
        <div ref={setPlace} className="absolute [&_[data-base-ui-focus-guard]]:hidden">
          {place && <Popup {...content} button={button} place={place} onClose={() => change(false)} />}
        </div>
      )}
    </>
  );
}
