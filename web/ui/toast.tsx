import X from 'lucide-react/icons/x';
import { useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';

interface ToastMessage {
  id: number;
  text: string;
}

/** Long enough to read; nothing is told here that is not also on the page. */
const shownMs = 6000;
const listeners = new Set<() => void>();
let shown: readonly ToastMessage[] = [];
let lastId = 0;

function show(next: readonly ToastMessage[]): void {
  shown = next;
  listeners.forEach((listener) => listener());
}

/** Says for a moment, and to screen readers, that something was done. Failures belong where they happened. */
export function toast(text: string): void {
  const id = ++lastId;
  show([...shown.slice(-2), { id, text }]);
  setTimeout(() => dismiss(id), shownMs);
}

function dismiss(id: number): void {
  show(shown.filter((message) => message.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once in the app. The region is always there, so that what appears in it is read out. */
export function Toasts() {
  const messages = useSyncExternalStore(subscribe, () => shown);
  return (
    <output className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex flex-col items-center gap-2">
      {messages.map(({ id, text }) => (
        <div
          key={id}
          className="pointer-events-auto flex max-w-full items-center gap-2 rounded-lg border border-line-strong bg-raised py-1.5 pr-1.5 pl-3 shadow-float"
        >
          <span className="min-w-0 break-words">{text}</span>
          <IconButton label="Dismiss" onClick={() => dismiss(id)}>
            <X size={15} aria-hidden />
          </IconButton>
        </div>
      ))}
    </output>
  );
}
