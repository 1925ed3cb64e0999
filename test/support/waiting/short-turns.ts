import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after } from 'node:test';
import { watchLoop } from './loop-watch.ts';

const longestMs = 50;

/**
 * Watches the event loop until the test file ends. `staysShort` asserts that no turn takes longer than 50 ms while `run` runs. It runs it
 * again when one did: a collection of garbage or a first compilation belongs to no input.
 */
export function watchTurns() {
  const loop = watchLoop();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  after(() => {
    loop.stop();
    delay.disable();
  });
  return async function staysShort(name: string, run: () => Promise<unknown>): Promise<void> {
    const seen: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      loop.longestMs();
      delay.reset();
      await run();
      // By the clock a turn is longer on a busy machine; in processor time it may hold two short ones.
      seen.push(Math.min(loop.longestMs(), delay.max / 1e6));
      if (seen.at(-1)! <= longestMs) return;
    }
    assert.fail(`${name} kept the event loop for ${seen.join(', ')} ms`);
  };
}
