export interface Coalesced {
  /** Runs the task at once, or once for all requests of the last interval. */
  request(): void;
  /** Resolves when every requested run is done. */
  idle(): Promise<void>;
}

/** Combines requests for one task: at most one run per `everyMs`. The task handles its own failures. */
export function coalesce(everyMs: number, task: () => Promise<void>): Coalesced {
  let isRequested = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (isRequested) {
      isRequested = false;
      await task();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    running = undefined;
  };

  return {
    request: () => {
      isRequested = true;
      running ??= run();
    },
    idle: async () => running,
  };
}
