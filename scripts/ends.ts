export interface Ends {
  /** Called when what was started is to be ended. */
  onEnd(end: () => Promise<void>): void;
  /** How many there are to end. */
  count(): number;
  /** Ends what was started last first, one at a time, until so many are left. */
  endDownTo(count: number): Promise<void>;
}

/** What a script has to end, in the order of its start; all of it is ended when somebody breaks the script off. */
export function makeEnds(): Ends {
  const ends: (() => Promise<void>)[] = [];
  // One after the other, also when an interrupted part ends its own in the meantime.
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
      process.stderr.write('Ending what was started\n');
      // What is under way fails from here on, which says nothing.
      process.on('uncaughtException', () => {});
      void endDownTo(0).then(() => process.exit(1));
    });
  }
  return { onEnd: (end) => void ends.push(end), count: () => ends.length, endDownTo };
}
