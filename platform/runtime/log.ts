import pino, { type Logger } from 'pino';
import type { Config } from './settings/config.ts';
import { errorFacts } from './error-facts.ts';

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
export function logOptions({ logLevel }: Pick<Config, 'logLevel'>) {
  return {
    level: logLevel,
    redact,
    serializers: { err: errorFacts },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
}

/** Writes JSON lines to standard error. Standard output is reserved for machine-readable results. */
export function makeLog(config: Pick<Config, 'logLevel'>): Log {
  return pino({ ...logOptions(config), base: null }, pino.destination({ dest: 2, sync: true }));
}
