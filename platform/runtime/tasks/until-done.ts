/** Repeats short steps until one has nothing left to do, `maxSteps` are done or the signal is aborted. */
export async function untilDone(
  signal: AbortSignal,
  step: () => Promise<number>,
  maxSteps = Infinity,
): Promise<void> {
  for (let steps = 0; steps < maxSteps && !signal.aborted; steps += 1) if ((await step()) === 0) return;
}
