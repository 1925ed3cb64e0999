import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A Postgres in the directory that shuts down at the same time may still write to it. */
const removeAtEndOfInput = `
trap '' HUP INT TERM
read -r _
for _ in $(seq 100); do rm -rf "$0" && exit; sleep 0.1; done
exit 1`;

/**
 * A new temporary directory that every account can enter: the embedded Postgres of root runs as another one, and would
 * else put its cluster where nobody who removes the directory looks for it. A process that is killed leaves none: a shell waits for its end.
 */
export async function makeEnterableDirectory(
  name: string,
  parent = tmpdir(),
): Promise<{ directory: string; remove: () => Promise<void> }> {
  const directory = await mkdtemp(path.join(parent, `forgewatch-${name}-`));
  await chmod(directory, 0o755);
  const remover = spawn('/bin/sh', ['-c', removeAtEndOfInput, directory], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const removed = once(remover, 'exit');
  remover.unref();
  (remover.stdin as Socket).unref();
  const remove = async (): Promise<void> => {
    remover.ref();
    remover.stdin?.end();
    const [code] = (await removed) as [number | null];
    if (code !== 0) throw new Error(`${directory} could not be removed`);
  };
  return { directory, remove };
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
