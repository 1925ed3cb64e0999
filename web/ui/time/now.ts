import { useSyncExternalStore } from 'react';

const tickMs = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  listeners.forEach((listener) => listener());
}

/** One timer for the page, paused while the page is hidden. */
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

/** Without a timer the time is rounded to seconds, so that it is stable during a render. */
function read(): number {
  if (timer === undefined) now = Math.floor(Date.now() / tickMs) * tickMs;
  return now;
}

/** A text that depends on the time, updated each second. The component renders only when the text changes. */
export function useNowText(format: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => format(read()));
}

const never = (): (() => void) => () => {};

/** The time in milliseconds, updated each second while `isTicking`. */
export function useNow(isTicking: boolean): number {
  return useSyncExternalStore(isTicking ? subscribe : never, read);
}
