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
 * Sets V8 for a server that needs each request and its body for milliseconds only:
 *
 * - `heap-growing-percent`: V8 collects the whole heap when it has doubled. By default it collects after a growth of 30 % once the process
 *   was idle for some seconds, and bodies count.
 * - `no-allocation-site-pretenuring`: every new object is young. By default V8 allocates the objects of one place in the code among
 *   the old ones if earlier objects of that place survived. All that such an object refers to, requests and bodies, then
 *   stays in memory until the whole heap is collected.
 */
export function tuneHeap(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
