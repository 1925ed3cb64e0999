import type { Read, SettingFault } from './setting.ts';
import * as type from './setting-types.ts';

export function readDatabaseSettings(read: Read, cores: number) {
  return {
    databaseUrl: read({
      name: 'DATABASE_URL',
      default: 'unset: embedded Postgres under DATA_DIR',
      meaning:
        'URL of an external Postgres 15 or newer with ICU, and with the role that owns the database and runs the migrations',
      parse: type.databaseUrl,
      secret: true,
    }),
    databaseDirectUrl: read({
      name: 'DATABASE_DIRECT_URL',
      default: 'unset: DATABASE_URL',
      meaning:
        'URL of the same Postgres without the connection pooler, with the role that owns the database. Set it if DATABASE_URL is that of PgBouncer in transaction mode: migrations and LISTEN need a session',
      parse: type.databaseUrl,
      secret: true,
    }),
    databasePoolMax: read({
      name: 'DATABASE_POOL_MAX',
      // The pools of both roles must fit into the 100 connections that Postgres allows by default.
      default: String(Math.min(40, Math.max(4, cores * 2))),
      meaning: 'connections per role and process; the default is twice the number of cores, from 4 to 40',
      parse: type.integer(2, 500),
    }),
    minFreeDiskBytes: read({
      name: 'MIN_FREE_DISK_BYTES',
      default: 'unset: 512 MiB, or 2 % of the disk if that is less',
      meaning:
        'bytes that must stay free on the disk of the packaged Postgres; with less, webhooks and test reports get 503. 0 switches the check off. The disk of DATABASE_URL is not known here',
      parse: type.integer(0, Number.MAX_SAFE_INTEGER),
    }),
  };
}

export function databaseFaults({
  databaseUrl,
  databaseDirectUrl,
}: Record<'databaseUrl' | 'databaseDirectUrl', string | undefined>): SettingFault[] {
  if (databaseDirectUrl === undefined || databaseUrl !== undefined) return [];
  return [{ name: 'DATABASE_URL', problem: 'is unset, should be set together with DATABASE_DIRECT_URL' }];
}

/** Keys that encrypt and sign. */
export function readKeySettings(read: Read) {
  return {
    encryptionKeys: read({
      name: 'ENCRYPTION_KEY',
      default: 'unset: generated into DATA_DIR',
      meaning:
        '32 bytes in base64; encrypts webhook secrets and queued bodies at rest. In a comma-separated list the first key encrypts, all keys decrypt',
      parse: type.keyList,
      secret: true,
    }),
    backupPassphrase: read({
      name: 'BACKUP_PASSPHRASE',
      default: 'unset: `backup` and `restore` ask for it',
      meaning: 'at least 16 characters; encrypts backups. The service does not need it',
      parse: type.passphrase,
      secret: true,
    }),
    wsTokenSecret: read({
      name: 'WS_TOKEN_SECRET',
      default: 'unset: derived from ENCRYPTION_KEY',
      meaning:
        '32 bytes in base64; signs WebSocket tokens. In a comma-separated list the first key signs, all keys verify',
      parse: type.keyList,
      secret: true,
    }),
  };
}

export function readRetentionSettings(read: Read) {
  return {
    retentionDays: read({
      name: 'RETENTION_DAYS',
      default: '90',
      meaning: 'days to keep deliveries and their payloads',
      parse: type.integer(2, 3650),
    }),
    runRetentionDays: read({
      name: 'RUN_RETENTION_DAYS',
      default: 'unset: forever',
      meaning:
        'days to keep runs, jobs, pull requests, reviews and deployments; the metrics of runs and jobs are kept',
      parse: type.integer(7, 3650),
    }),
  };
}
