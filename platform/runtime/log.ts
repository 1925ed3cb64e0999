import pino, { type Logger } from 'pino';
import type { Config } from './settings/config.ts';

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

interface ErrorFacts {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorFacts;
}

/** Limit, because a chain of causes may be circular. */
const mostCauses = 5;

/**
 * The fields of an error that are logged. Other properties are left out: database errors carry the connection with its
 * cancel key, and may quote rows.
 */
function errorFacts(error: unknown, causes = mostCauses): unknown {
  return error instanceof Error ? factsOf(error, causes) : error;
}

function factsOf(error: Error, causes: number): ErrorFacts {
  const { code } = error as { code?: unknown };
  return {
    type: error.constructor.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause instanceof Error && causes > 0 ? { cause: factsOf(error.cause, causes - 1) } : {}),
  };
}
