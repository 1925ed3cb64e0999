import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A new temporary directory that every account can enter: the embedded Postgres of root runs as another one, and would
 * else put its cluster where nobody who removes the directory looks for it.
 */
export async function makeEnterableDirectory(
  name: string,
  parent = tmpdir(),
): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(path.join(parent, `forgewatch-${name}-`));
  await chmod(directory, 0o755);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

const memory = '/dev/shm';
const roomBytes = 8 * 1024 ** 3;

/**
 * The parent of temporary directories that need speed: memory if it has room, else the disk. Containers often have 64 MiB of it. Each
 * test file copies a database of 700 files, which takes a tenth of the time in memory.
 */
export async function fastestParent(): Promise<string> {
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  // The file system may be larger than what the container may use.
  return Math.min(room, process.availableMemory()) >= roomBytes ? memory : tmpdir();
}
