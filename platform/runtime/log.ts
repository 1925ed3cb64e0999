import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from './settings/config.ts';
import { makeDirectory } from './files/data-dir.ts';
import { errorFacts } from './error-facts.ts';
import { keepLogDirPrivate } from './files/private-files.ts';

export type Log = Logger;

/** Second line of defence: no code logs headers, bodies or secrets. If it does, these fields are redacted. */
const redact = {
  paths: [
    'headers',
    '*.headers',
    'secret',
    '*.secret',
    'token',
    '*.token',
    'password',
    '*.password',
    'body',
    '*.body',
    'payload',
    '*.payload',
    '*.connectionString',
  ],
  censor: '[redacted]',
};

/** Options of all logs. */
function options({ logLevel }: Pick<Config, 'logLevel'>) {
  return {
    level: logLevel,
    redact,
    serializers: { err: errorFacts },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
}

/** Writes JSON lines to standard error. Standard output is reserved for machine-readable results. */
export function makeLog(config: Pick<Config, 'logLevel'>): Log {
  return pino({ ...options(config), base: null }, pino.destination({ dest: 2, sync: true }));
}

/** Interval between attempts to write to the log file again, and between error messages about it. */
const retryFileMs = 5 * 60_000;

/**
 * The separate log of the worker: one file per day in `LOG_DIR`, kept for `LOG_RETENTION_DAYS` days. While the file
 * cannot be written, its lines go to the destination of `main`. `close` flushes the file.
 */
export async function openWorkerLog(
  config: Pick<Config, 'logLevel' | 'logDir' | 'logRetentionDays'>,
  main: Log,
  retryMs = retryFileMs,
): Promise<{ log: Log; close: () => Promise<void> }> {
  await makeDirectory('LOG_DIR', config.logDir);
  await removeOldLogs(config.logDir, config.logRetentionDays);
  await keepLogDirPrivate(config.logDir, isLogFile).catch((error: unknown) =>
    main.warn({ err: error, logDir: config.logDir }, 'log directory permissions not tightened'),
  );
  const mainStream = (main as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym];
  let retry: NodeJS.Timeout | undefined;
  const open = () => {
    const stream = openRollingFile(config);
    const opened = {
      stream,
      isWritable: true,
      closed: new Promise((resolve) => stream.once('close', resolve)),
    };
    // Without a listener a full disk would end the process.
    stream.on('error', (error: Error) => {
      if (!opened.isWritable) return;
      opened.isWritable = false;
      main.error({ err: error, logDir: config.logDir }, 'log file not writable; its lines follow here');
      retry = setTimeout(() => (file = open()), retryMs).unref();
    });
    return opened;
  };
  let file = open();
  const write = (line: string): void => void (file.isWritable ? file.stream : mainStream)?.write(line);
  return {
    log: pino({ ...options(config), base: { service: 'worker', pid: process.pid } }, { write }),
    close: async () => {
      clearTimeout(retry);
      file.isWritable = false;
      file.stream.end();
      await file.closed;
    },
  };
}

function openRollingFile({ logDir, logRetentionDays }: Pick<Config, 'logDir' | 'logRetentionDays'>) {
  return pino.transport({
    target: 'pino-roll',
    options: {
      file: path.join(logDir, 'worker'),
      extension: '.log',
      frequency: 'daily',
      dateFormat: 'yyyy-MM-dd',
      mkdir: true,
      mode: 0o600,
      limit: { count: logRetentionDays, removeOtherLogFiles: true },
    },
  });
}

const isLogFile = (name: string): boolean => /^worker\..*\.log$/.test(name);

/** pino-roll limits the number of files, not their age. After a long downtime old files would remain. */
async function removeOldLogs(directory: string, days: number): Promise<void> {
  const oldest = Date.now() - days * 86_400_000;
  for (const name of await readdir(directory)) {
    if (!isLogFile(name)) continue;
    const file = path.join(directory, name);
    if ((await stat(file)).mtimeMs < oldest) await rm(file);
  }
}
