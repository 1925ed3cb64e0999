import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time that the work blocks the event loop. */
const turnMs = 5;

/** Await the returned function often in long work: it yields to the event loop when the time is up. */
export function makeBreaks(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await nextTurn();
    since = performance.now();
  };
}
