import type { Log } from './log.ts';
import type { Service } from './service.ts';

/**
 * A duty that is done every `everyMs`, the first time at start. Runs never overlap; a failed one is logged and the next
 * one tries again. `stop` waits for the run in progress.
 */
export function repeat(
  log: Log,
  name: string,
  everyMs: number,
  duty: (signal: AbortSignal) => Promise<void>,
): Service {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();

  const run = (): void => {
    running = duty(stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error, duty: name }, 'periodic duty failed');
      })
      .then(() => {
        if (!stopping.signal.aborted) timer = setTimeout(run, everyMs);
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
