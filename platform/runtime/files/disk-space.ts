import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { byteSize } from '#contract/base/byte-size.ts';

export interface DiskSpace {
  directory: string;
  /** For accounts other than root. */
  freeBytes: number;
  totalBytes: number;
}

const mostReservedBytes = 512 * 1024 * 1024;
const reservedShare = 0.02;

/** The disk of a directory, which need not exist yet. */
export async function readDiskSpace(directory: string): Promise<DiskSpace> {
  for (let current = path.resolve(directory); ; current = path.dirname(current)) {
    try {
      const { bavail, blocks, bsize } = await statfs(current);
      return { directory, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || current === path.dirname(current))
        throw error;
    }
  }
}

/** What must stay free. @param minFreeBytes MIN_FREE_DISK_BYTES */
export function leastFreeBytes({ totalBytes }: DiskSpace, minFreeBytes: number | undefined): number {
  return minFreeBytes ?? Math.min(mostReservedBytes, Math.floor(totalBytes * reservedShare));
}

/** For people. Without the directory, which a stranger must not learn. */
export function describeSpace({ freeBytes, totalBytes }: DiskSpace, leastBytes: number): string {
  return `${byteSize(freeBytes)} of ${byteSize(totalBytes)} are free on the disk of the database, and ${byteSize(leastBytes)} must stay free (MIN_FREE_DISK_BYTES)`;
}
