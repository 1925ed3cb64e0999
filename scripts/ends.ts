export interface Ends {
  /** Registers a cleanup for something that was started. */
  onEnd(end: () => Promise<void>): void;
  /** Number of registered cleanups. */
  count(): number;
  /** Runs cleanups one at a time, last registered first, until `count` are left. */
  endDownTo(count: number): Promise<void>;
}

/** The cleanups of a script. They also run on SIGINT and SIGTERM. */
export function makeEnds(): Ends {
  const ends: (() => Promise<void>)[] = [];
  // Serialized, because an interrupted part may run its own cleanups at the same time.
  let ending = Promise.resolve();
  const endDownTo = (count: number): Promise<void> =>
    (ending = ending.then(async () => {
      while (ends.length > count) {
        await ends
          .pop()?.()
          .catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      }
    }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.stderr.write('Stopping\n');
      // Work in progress fails from here on. Its errors are expected.
      process.on('uncaughtException', () => {});
      void endDownTo(0).then(() => process.exit(1));
    });
  }
  return { onEnd: (end) => void ends.push(end), count: () => ends.length, endDownTo };
}
