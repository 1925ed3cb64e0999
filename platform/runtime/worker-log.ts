import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import pino, { type DestinationStream } from 'pino';
import { makeDirectory } from './files/data-dir.ts';
import { keepLogDirPrivate } from './files/private-files.ts';
import { logOptions, type Log } from './log.ts';
import type { Config } from './settings/config.ts';
import { dayMs } from './time-units.ts';

/** Interval between attempts to write to the log file again, and between error messages about it. */
const retryFileMs = 5 * 60_000;

interface WorkerLogOptions {
  /** Receives the lines while the file cannot be written. */
  fallback?: DestinationStream;
  retryMs?: number;
}

/**
 * The separate log of the worker: one file per day (UTC) in `LOG_DIR`, kept for `LOG_RETENTION_DAYS` days. While the file
 * cannot be written, its lines go to standard error. `close` flushes the file.
 */
export async function openWorkerLog(
  config: Pick<Config, 'logLevel' | 'logDir' | 'logRetentionDays'>,
  main: Log,
  { fallback = process.stderr, retryMs = retryFileMs }: WorkerLogOptions = {},
): Promise<{ log: Log; close: () => Promise<void> }> {
  const { logDir, logRetentionDays } = config;
  await makeDirectory('LOG_DIR', logDir);
  const reportOld = (error: unknown): void => main.warn({ err: error, logDir }, 'old log files not removed');
  await removeOldLogs(logDir, logRetentionDays, reportOld);
  await keepLogDirPrivate(logDir, isLogFile).catch((error: unknown) =>
    main.warn({ err: error, logDir }, 'log directory permissions not tightened'),
  );
  let retryAt = 0;
  const open = (day: string) => {
    const stream = createWriteStream(path.join(logDir, `worker.${day}.log`), { flags: 'a', mode: 0o600 });
    // Without a listener a full disk would end the process.
    stream.on('error', (error: Error) => {
      if (file?.stream !== stream) return;
      file = undefined;
      retryAt = Date.now() + retryMs;
      main.error({ err: error, logDir }, 'log file not writable; its lines go to standard error');
    });
    return { day, stream };
  };
  let file: ReturnType<typeof open> | undefined = open(today());
  const write = (line: string): void => {
    if (Date.now() < retryAt) return void fallback.write(line);
    const day = today();
    if (file?.day !== day) {
      file?.stream.end();
      file = open(day);
      removeOldLogs(logDir, logRetentionDays, reportOld).catch(reportOld);
    }
    file.stream.write(line);
  };
  return {
    log: pino({ ...logOptions(config), base: { service: 'worker', pid: process.pid } }, { write }),
    close: async () => {
      retryAt = Infinity;
      file?.stream.end();
      if (file !== undefined) await finished(file.stream).catch(() => {});
    },
  };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

const isLogFile = (name: string): boolean => /^worker\..*\.log$/.test(name);

async function removeOldLogs(
  directory: string,
  days: number,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const oldest = Date.now() - days * dayMs;
  for (const name of await readdir(directory)) {
    if (!isLogFile(name)) continue;
    const file = path.join(directory, name);
    // Another process may remove it too, and a file that cannot be removed must not keep the others.
    try {
      if ((await stat(file)).mtimeMs < oldest) await rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onFailure(error);
    }
  }
}
