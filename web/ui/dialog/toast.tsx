import X from 'lucide-react/icons/x';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { IconButton } from '../button.tsx';

interface ToastMessage {
  id: number;
  text: string;
}

/** Long enough to read. Hovering keeps it open. The page shows the same information. */
const shownMs = 6000;
const listeners = new Set<() => void>();
let shown: readonly ToastMessage[] = [];
let lastId = 0;

function show(next: readonly ToastMessage[]): void {
  shown = next;
  listeners.forEach((listener) => listener());
}

/** Shows and announces a success for a moment. Failures are shown where they happen. */
export function toast(text: string): void {
  show([...shown.slice(-2), { id: ++lastId, text }]);
}

function dismiss(id: number): void {
  show(shown.filter((message) => message.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rendered once. The live region always exists, so that screen readers announce its changes. */
export function Toasts() {
  const messages = useSyncExternalStore(subscribe, () => shown);
  return (
    <output className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex flex-col items-center gap-2">
      {messages.map((message) => (
        <Toast key={message.id} {...message} />
      ))}
    </output>
  );
}

/** Disappears after a while, except under the pointer or with the focus. */
function Toast({ id, text }: ToastMessage) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <div
      className="pointer-events-auto flex max-w-full items-center gap-2 rounded-lg border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 shadow-float"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
    >
      <span className="min-w-0 break-words">{text}</span>
      <IconButton label="Dismiss" onClick={() => dismiss(id)}>
        <X size={15} aria-hidden />
      </IconButton>
    </div>
  );
}
