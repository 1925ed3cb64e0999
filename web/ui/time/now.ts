import { useSyncExternalStore } from 'react';

const tickMs = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  listeners.forEach((listener) => listener());
}

/** One clock for the page: it stands still while nobody looks. */
function update(): void {
  const isNeeded = listeners.size > 0 && !document.hidden;
  if (isNeeded && timer === undefined) {
    timer = setInterval(tick, tickMs);
    tick();
  } else if (!isNeeded) {
    clearInterval(timer);
    timer = undefined;
  }
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) document.addEventListener('visibilitychange', update);
  listeners.add(listener);
  update();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) document.removeEventListener('visibilitychange', update);
    update();
  };
}

/** Without a running clock the time is read to the second, so that it holds still during a render. */
function read(): number {
  if (timer === undefined) now = Math.floor(Date.now() / tickMs) * tickMs;
  return now;
}

/** A text that depends on the time, renewed each second; whoever shows it renders again only when it changes. */
export function useNowText(format: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => format(read()));
}

const never = (): (() => void) => () => {};

/** Milliseconds, renewed each second while `isTicking`. */
export function useNow(isTicking: boolean): number {
  return useSyncExternalStore(isTicking ? subscribe : never, read);
}
