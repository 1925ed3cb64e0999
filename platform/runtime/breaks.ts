import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long others wait at most for work that takes breaks. */
const turnMs = 5;

/** To be awaited again and again by work that takes long: lets others have their turn when it has had its own. */
export function makeBreaks(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < turnMs) return;
    await nextTurn();
    since = performance.now();
  };
}
