import { AsyncLocalStorage } from 'node:async_hooks';
import type { Leave } from './forge-gate.ts';

const turns = new AsyncLocalStorage<AbortSignal>();

/** Calls to a forge that `work` makes end with the signal, so that a forge that answers slowly does not keep a task for hours. */
export function withTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return turns.run(signal, work);
}

/** Undefined outside of background tasks. */
export function turnSignal(): AbortSignal | undefined {
  return turns.getStore();
}

/** Waits at the gate until the turn of the caller ends. A place that comes later is left at once. @throws why the turn ended */
export async function enterInTurn(enter: () => Promise<Leave>): Promise<Leave> {
  const signal = turnSignal();
  if (signal === undefined) return enter();
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const end = (): void => ended.reject(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  const entering = enter();
  try {
    return await Promise.race([entering, ended.promise]);
  } catch (error) {
    if (signal.aborted)
      void entering.then(
        (leave) => leave(),
        () => {},
      );
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Adds the end of the turn of the caller to the reasons to abort. */
export function signalOfTurn(signal: AbortSignal | null | undefined): AbortSignal | undefined {
  const signals = [signal, turnSignal()].filter((each) => each !== null && each !== undefined);
  return signals.length === 0 ? undefined : AbortSignal.any(signals);
}
