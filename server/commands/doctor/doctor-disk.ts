import { clusterDirectory } from '#platform/database/embedded/embedded-binaries.ts';
import { describeSpace, leastFreeBytes, readDiskSpace } from '#platform/runtime/files/disk-space.ts';
import type { Config } from '#platform/runtime/settings/config.ts';
import type { Finding } from './finding.ts';

const check = 'disk';

/** The free space of the packaged Postgres. That of another one is not known here. */
export async function checkDisk({
  databaseUrl,
  dataDir,
  minFreeDiskBytes,
}: Pick<Config, 'databaseUrl' | 'dataDir' | 'minFreeDiskBytes'>): Promise<Finding> {
  if (databaseUrl !== undefined) {
    const text =
      'the free space of DATABASE_URL is not known here: watch it there. When it is full, webhooks get 503 storage_full.';
    return { check, verdict: 'note', text };
  }
  const space = await readDiskSpace(await clusterDirectory(dataDir));
  const leastBytes = leastFreeBytes(space, minFreeDiskBytes);
  const facts = `${describeSpace(space, leastBytes)}: ${space.directory}`;
  return space.freeBytes >= leastBytes
    ? { check, verdict: 'ok', text: facts }
    : {
        check,
        verdict: 'wrong',
        text: `${facts}. Webhooks and test reports are refused. Free space or enlarge the disk.`,
      };
}
