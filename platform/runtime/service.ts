/**
 * A part that runs in the background. `start` resolves once it can work; `stop` resolves once its work has ended.
 * `stop` may be called twice, and before `start`.
 */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts in order; when one fails, stops those already started, in reverse, and rethrows. */
export async function startAll(services: readonly Service[]): Promise<void> {
  for (const [index, service] of services.entries()) {
    try {
      await service.start();
    } catch (error) {
      // Why it did not start is what has to be mended.
      await stopAll(services.slice(0, index)).catch(() => {});
      throw error;
    }
  }
}

/** Stops in reverse order. One that fails does not keep the others running; the first failure is rethrown at the end. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of services.toReversed()) {
    await service.stop().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
