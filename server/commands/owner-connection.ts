import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { connectAsOwner } from '#platform/database/migrate.ts';

/** Works with a connection of the owner. A failure or the signal cuts it at once: a COPY that nobody reads would never end. */
export async function withOwner<T>(
  url: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectAsOwner(url);
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  const cut = (): void => void stream.destroy();
  signal.addEventListener('abort', cut);
  try {
    signal.throwIfAborted();
    const result = await work(client);
    await client.end();
    return result;
  } catch (error) {
    cut();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', cut);
  }
}
