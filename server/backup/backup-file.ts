import { access, constants, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isAlive } from '#platform/runtime/processes/process-alive.ts';

/** @throws when the file exists, or its folder does not */
export async function refuseIfThere(file: string): Promise<void> {
  await access(path.dirname(path.resolve(file)));
  if (await isThere(file))
    throw new Error(
      `${file} exists, and a backup replaces nothing. Choose another name, such as one with the date.`,
    );
}

/** Writes a private file. It has its name only when it is complete and on the disk. Returns its size. */
export async function writeWhole(file: string, content: Readable, signal: AbortSignal): Promise<number> {
  await removeAbandoned(path.dirname(path.resolve(file)));
  const partial = `${file}.${process.pid}.partial`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    await pipeline(content, handle.createWriteStream({ flush: true }), { signal });
    await refuseIfThere(file);
    await rename(partial, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(partial, { force: true });
    throw error;
  }
  return (await stat(file)).size;
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** The beginning of a file of age (https://age-encryption.org/v1). */
const ageHeader = Buffer.from('age-encryption.org/v1');

/** Removes what killed backups left in the folder. Their names may have another date. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/\.(\d{1,10})\.partial$/.exec(name)?.[1] ?? NaN);
    // The id of a process that ended may be that of this one, above all in containers.
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    const file = path.join(folder, name);
    if (await isBackup(file)) await rm(file, { force: true });
  }
}

async function isBackup(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (handle === undefined) return false;
  try {
    if (!(await handle.stat()).isFile()) return false;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(ageHeader.length), 0, ageHeader.length, 0);
    return bytesRead === 0 || buffer.equals(ageHeader);
  } finally {
    await handle.close();
  }
}
