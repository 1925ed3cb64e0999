/**
 * A background service. `start` resolves when it is ready, `stop` when its work has ended. `stop` may be called twice and
 * before `start`.
 */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts services in order. If one fails, stops the started ones in reverse order and rethrows. */
export async function startAll(services: readonly Service[]): Promise<void> {
  for (const [index, service] of services.entries()) {
    try {
      await service.start();
    } catch (error) {
      // The start error matters more than errors while stopping.
      await stopAll(services.slice(0, index)).catch(() => {});
      throw error;
    }
  }
}

/** Stops services in reverse order. Stops all of them even if one fails, then rethrows the first failure. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of services.toReversed()) {
    await service.stop().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
