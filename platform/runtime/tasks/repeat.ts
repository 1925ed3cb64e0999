import type { Log } from '../log.ts';
import type { Service } from '../service.ts';
import { makeFailureLog } from './failure-log.ts';

/**
 * A periodic task, run at start and then about every `everyMs`. Runs never overlap. The first failed
 * run is logged, further ones are counted. `stop` waits for the current run.
 */
export function repeat(
  log: Log,
  name: string,
  everyMs: number,
  task: (signal: AbortSignal) => Promise<void>,
): Service {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const failures = makeFailureLog(log, { message: 'periodic task failed', facts: { task: name } });

  const run = (): void => {
    running = failures.watch(task(stopping.signal), stopping.signal).then(() => {
      if (!stopping.signal.aborted) timer = setTimeout(run, untilNext(everyMs));
    });
  };

  return {
    name,
    start: async () => {
      if (!stopping.signal.aborted) run();
    },
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Until the next multiple of `everyMs`, at least half of it: tasks run together, so that an idle process wakes rarely. */
function untilNext(everyMs: number): number {
  const waitMs = everyMs - (performance.now() % everyMs);
  return waitMs < everyMs / 2 ? waitMs + everyMs : waitMs;
}
