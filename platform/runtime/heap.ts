import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * Collects the garbage of the start, which V8 would keep for minutes, because an idle process allocates so little. Where Node has no
 * inspector, the process only takes more memory.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  try {
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
  } catch {
    return;
  } finally {
    session.disconnect();
  }
}

/**
 * Lets V8 collect the whole heap when it has doubled. Once a process was idle for some seconds, V8 saves memory and collects after
 * 30 %. Bodies of webhooks count too, so a process that was idle before a burst would then collect several times a second.
 */
export function letHeapDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
