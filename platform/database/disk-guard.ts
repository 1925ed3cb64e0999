import { Gauge, type Registry } from 'prom-client';
import { AppError } from '../runtime/app-error.ts';
import { describeSpace, leastFreeBytes, readDiskSpace, type DiskSpace } from '../runtime/files/disk-space.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import { repeat } from '../runtime/tasks/repeat.ts';
import { isDiskFull } from './database-error.ts';

export interface DiskGuard {
  /** Call it before something large is stored. @throws AppError `storage_full` */
  requireSpace(): void;
  /** Why large writes are refused, for people; undefined while there is space. */
  problem(): string | undefined;
  /** The refusal when a statement failed because the disk of the database is full. Others are refused for some seconds. */
  refusalFor(error: unknown): AppError | undefined;
}

export interface DiskGuardDeps {
  log: Log;
  metrics: Registry;
  /** Of the packaged Postgres. Undefined for another one: only its errors tell that the disk is full. */
  directory: string | undefined;
  /** MIN_FREE_DISK_BYTES; 0 switches the check off. */
  minFreeBytes: number | undefined;
  everyMs?: number;
}

/** How long writes are refused after the database reported a full disk. Then one may try. */
const refusedMs = 5_000;
/** Without a report for this time, the disk has space again. */
const recoveredMs = 60_000;
const reportedFull = 'the database reports that its disk is full (SQLSTATE 53100)';
/** Above the limit, so that the state does not change with each file that Postgres writes and deletes. */
const recoveryShare = 1.05;
const retryAfterSeconds = 60;

/**
 * Refuses large writes before Postgres fails for want of space: a full disk stops it, and every request with it. Work that was accepted
 * goes on.
 */
export function makeDiskGuard({
  log,
  metrics,
  directory,
  minFreeBytes,
  everyMs = 1000,
}: DiskGuardDeps): DiskGuard & Service {
  let space: DiskSpace | undefined;
  let isLow = false;
  let reportedAt: number | undefined;

  const isReported = (): boolean => reportedAt !== undefined && performance.now() - reportedAt < refusedMs;
  const problem = (): string | undefined => {
    if (isLow && space !== undefined) return describeSpace(space, leastFreeBytes(space, minFreeBytes));
    return isReported() ? reportedFull : undefined;
  };
  const look = async (): Promise<void> => {
    if (reportedAt !== undefined && performance.now() - reportedAt > recoveredMs) {
      reportedAt = undefined;
      log.info('database has disk space again');
    }
    if (directory === undefined) return;
    space = await readDiskSpace(directory);
    const leastBytes = leastFreeBytes(space, minFreeBytes);
    const wasLow = isLow;
    isLow = space.freeBytes < leastBytes * (wasLow ? recoveryShare : 1);
    if (isLow === wasLow) return;
    if (isLow) log.error({ ...space, leastBytes }, 'disk is nearly full: webhooks and reports are refused');
    else log.info({ ...space, leastBytes }, 'disk has space again: webhooks and reports are accepted');
  };
  registerGauges(metrics, directory, () => ({ space, isFull: problem() !== undefined }));
  const looking = repeat(log, 'disk space', everyMs, look);

  return {
    ...looking,
    start: async () => {
      // The first request must not pass before the first look.
      await look().catch(() => {});
      await looking.start();
    },
    problem,
    requireSpace: () => {
      const text = problem();
      if (text !== undefined) throw storageFull(text);
    },
    refusalFor: (error) => {
      if (!isDiskFull(error)) return undefined;
      if (reportedAt === undefined) log.error({ problem: (error as Error).message }, reportedFull);
      reportedAt = performance.now();
      return storageFull(reportedFull, error);
    },
  };
}

export function storageFull(problem: string, cause?: unknown): AppError {
  const detail = `The server has no space to store this: ${problem}. The operator must free space or enlarge the disk.`;
  return new AppError('storage_full', { detail, retryAfterSeconds, cause });
}

function registerGauges(
  metrics: Registry,
  directory: string | undefined,
  read: () => { space: DiskSpace | undefined; isFull: boolean },
): void {
  const register = (name: string, help: string, value: () => number | undefined): void =>
    metrics.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          const current = value();
          if (current !== undefined) this.set(current);
        },
      }),
    );
  const full = '1 while webhooks and reports are refused because the disk of the database is full, else 0';
  register('forgewatch_storage_full', full, () => (read().isFull ? 1 : 0));
  if (directory === undefined) return;
  const disk = 'the disk of the packaged Postgres';
  register('forgewatch_disk_free_bytes', `Free bytes of ${disk}`, () => read().space?.freeBytes);
  register('forgewatch_disk_size_bytes', `Size of ${disk}`, () => read().space?.totalBytes);
}
