import { Session } from 'node:inspector/promises';

/** Collects the whole heap. An idle process allocates so little that V8 would keep the garbage of the start for minutes. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
