import { access, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

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
