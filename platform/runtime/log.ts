import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from './settings/config.ts';
import { makeDirectory } from './files/data-dir.ts';
import { errorFacts } from './error-facts.ts';
import { keepLogDirPrivate } from './files/private-files.ts';

export type Log = Logger;

/** Second line of defence: call sites log neither headers nor bodies, these paths are blanked if one ever does. */
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

/** What all logs have in common. */
function options({ logLevel }: Pick<Config, 'logLevel'>) {
  return {
    level: logLevel,
    redact,
    serializers: { err: errorFacts },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
}

/** JSON lines on standard error, so that standard output stays free for machine-readable results. */
export function makeLog(config: Pick<Config, 'logLevel'>): Log {
  return pino({ ...options(config), base: null }, pino.destination({ dest: 2, sync: true }));
}

/** A full disk is noticed within minutes by whoever keeps the machine, and told of no more often than that. */
const retryFileMs = 5 * 60_000;

/**
 * The worker's log of its own (specification 6.4): one file a day under `LOG_DIR`, kept `LOG_RETENTION_DAYS` days. While
 * the file cannot be written its lines go where `main` writes, which is told. `close` flushes it.
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
    // Without a listener the first line that does not fit on the disk would end the process.
    stream.on('error', (error: Error) => {
      if (!opened.isWritable) return;
      opened.isWritable = false;
      main.error({ err: error, logDir: config.logDir }, 'the log file cannot be written; its lines go here');
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

/** The rolling library counts files; a worker that was down for weeks would keep files beyond their days without this. */
async function removeOldLogs(directory: string, days: number): Promise<void> {
  const oldest = Date.now() - days * 86_400_000;
  for (const name of await readdir(directory)) {
    if (!isLogFile(name)) continue;
    const file = path.join(directory, name);
    if ((await stat(file)).mtimeMs < oldest) await rm(file);
  }
}
