import { Session } from 'node:inspector/promises';

/**
 * Collects the whole heap. An idle process allocates so little that V8 would keep the garbage of the start for minutes. Where Node has no
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
