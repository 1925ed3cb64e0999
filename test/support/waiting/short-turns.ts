import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after } from 'node:test';
import { cpuMs, watchLoop } from './loop-watch.ts';

const longestMs = 50;
/** A collection of garbage, a first compilation or a pause of the machine belongs to no input, so a slow try is made again. */
const mostTries = 5;

/** Asserts that `run` takes less than `mostMs` of CPU time of this thread, in one of five tries. `what` names it in the error. */
export async function takesLess(
  mostMs: number,
  run: () => unknown,
  what: () => string = () => 'it',
): Promise<void> {
  const seen: number[] = [];
  while (seen.length < mostTries) {
    const started = cpuMs();
    await run();
    seen.push(Math.round(cpuMs() - started));
    if (seen.at(-1)! < mostMs) return;
  }
  assert.fail(`${what()} took ${seen.join(', ')} ms`);
}

/**
 * Watches the event loop until the test file ends. `staysShort` asserts that no turn takes longer than 50 ms while `run` runs, in one of
 * five tries.
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
    while (seen.length < mostTries) {
      loop.longestMs();
      delay.reset();
      await run();
      // By the clock a turn is longer on a busy machine; in processor time it may hold two short ones.
      seen.push(Math.round(Math.min(loop.longestMs(), delay.max / 1e6)));
      if (seen.at(-1)! <= longestMs) return;
    }
    assert.fail(`${name} kept the event loop for ${seen.join(', ')} ms`);
  };
}
