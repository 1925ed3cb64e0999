import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import pino, { type Logger } from 'pino';
import type { Config } from './config.ts';
import { errorFacts } from './error-facts.ts';

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

/**
 * The worker's log of its own (specification 6.4): one file a day under `LOG_DIR`, kept `LOG_RETENTION_DAYS` days.
 * `close` flushes it.
 */
export async function openWorkerLog(
  config: Pick<Config, 'logLevel' | 'logDir' | 'logRetentionDays'>,
): Promise<{ log: Log; close: () => Promise<void> }> {
  await mkdir(config.logDir, { recursive: true });
  await removeOldLogs(config.logDir, config.logRetentionDays);
  const transport = pino.transport({
    target: 'pino-roll',
    options: {
      file: path.join(config.logDir, 'worker'),
      extension: '.log',
      frequency: 'daily',
      dateFormat: 'yyyy-MM-dd',
      mkdir: true,
      limit: { count: config.logRetentionDays, removeOtherLogFiles: true },
    },
  });
  const log = pino({ ...options(config), base: { service: 'worker', pid: process.pid } }, transport);
  return {
    log,
    close: () =>
      new Promise((resolve) => {
        transport.once('close', resolve);
        transport.end();
      }),
  };
}

/** The rolling library counts files; a worker that was down for weeks would keep files beyond their days without this. */
async function removeOldLogs(directory: string, days: number): Promise<void> {
  const oldest = Date.now() - days * 86_400_000;
  for (const name of await readdir(directory)) {
    if (!/^worker\..*\.log$/.test(name)) continue;
    const file = path.join(directory, name);
    if ((await stat(file)).mtimeMs < oldest) await rm(file);
  }
}
