import { Socket } from 'node:net';
import type pg from 'pg';
import { connectAsOwner } from '#platform/database/migrate.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import { namedBySetting } from '#server/runtime.ts';

/** Works with a connection of the owner. A failure or the signal cuts it at once: a COPY that nobody reads would never end. */
export async function withOwner<T>(
  { config, url, signal }: { config: Config; url: string; signal: AbortSignal },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const socket = new Socket();
  const client = await connectAsOwner(url, socket).catch((error: unknown) => {
    throw namedBySetting(error, config);
  });
  const cut = (): void => void socket.destroy();
  signal.addEventListener('abort', cut);
  try {
    signal.throwIfAborted();
    const result = await work(client);
    await client.end();
    return result;
  } catch (error) {
    cut();
    throw signal.aborted ? signal.reason : namedBySetting(error, config);
  } finally {
    signal.removeEventListener('abort', cut);
  }
}
