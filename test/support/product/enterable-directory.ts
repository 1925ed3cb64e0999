import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A new temporary directory that every account can enter: the embedded Postgres of root runs as another one, and would
 * else put its cluster where nobody who removes the directory looks for it.
 */
export async function makeEnterableDirectory(
  name: string,
): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), `forgewatch-${name}-`));
  await chmod(directory, 0o755);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
