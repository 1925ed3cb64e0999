import { availableParallelism } from 'node:os';
import path from 'node:path';
import * as type from './setting-types.ts';
import { canOfferDemo, demoFaults, readDemoSetting } from './demo-settings.ts';
import { forgeAppFaults, readForgeAppSettings } from './forge-app-settings.ts';
import { forgeFaults, readForgeSettings } from './forge-settings.ts';
import { limitFaults, readLimitSettings } from './limit-settings.ts';
import { readQueueSettings } from './queue-settings.ts';
import { readOperationsSettings } from './operations-settings.ts';
import { readSignInSettings, signInFaults } from './sign-in-settings.ts';

export interface SettingFault {
  name: string;
  problem: string;
}

/** One row of the reference in `docs/configuration.md`. */
export interface SettingDoc {
  name: string;
  default: string;
  meaning: string;
}

interface Setting<T> extends SettingDoc {
  parse: type.SettingType<T>;
  secret?: true;
}

export type Read = {
  <T>(setting: Setting<T> & { default: `unset${string}` }): T | undefined;
  <T>(setting: Setting<T>): T;
};

/** Reads all settings and adds their faults to `faults`. `documentSettings` runs it without variables to list them. */
export function readSettings(
  env: NodeJS.ProcessEnv,
  faults: SettingFault[],
  seen: SettingDoc[] = [],
  cores = availableParallelism(),
) {
  const read = readerOf(env, faults, seen);
  const host = read({
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'address to listen on',
    parse: type.text,
  });
  const port = read({
    name: 'PORT',
    default: '8787',
    meaning: 'port to listen on; 0 chooses a free port',
    parse: type.integer(0, 65535),
  });
  const publicUrl = read({
    name: 'PUBLIC_URL',
    // The default follows PORT, so that another port needs only one variable.
    default: `http://localhost:${port || 8787}`,
    meaning:
      '`{base_url}`: the URL that browsers and the forge use, without a path; the default follows PORT',
    parse: type.site('http:', 'https:'),
  });
  const dataDir = path.resolve(
    read({
      name: 'DATA_DIR',
      default: './data',
      meaning: 'directory of the embedded database, generated keys and log files',
      parse: type.text,
    }),
  );
  const signIn = readSignInSettings(read);
  const forge = readForgeSettings(read);
  const forgeApp = readForgeAppSettings(read);
  const limits = readLimitSettings(read);
  const demo = readDemoSetting(read);
  const conditions = { host, publicUrl, ...signIn };
  const isKnown = ({ name }: SettingFault): boolean => faults.some((known) => known.name === name);
  // An invalid value reads as undefined, but must not be reported as unset.
  const combined = [
    ...signInFaults(signIn),
    ...demoFaults(demo, conditions),
    ...forgeAppFaults(forgeApp),
    ...forgeFaults({ ...forge, ...signIn, ...forgeApp }),
    ...limitFaults({ ...limits, ...signIn }),
  ];
  faults.push(...combined.filter((fault) => !isKnown(fault)));
  return {
    host,
    port,
    publicUrl,
    webOrigins:
      read({
        name: 'WEB_ORIGINS',
        default: 'unset: origin of PUBLIC_URL',
        meaning:
          'comma-separated origins allowed for CORS, state-changing requests, WebSockets and sign-in redirects',
        parse: type.originList,
      }) ?? originsOf(publicUrl),
    dataDir,
    databaseUrl: read({
      name: 'DATABASE_URL',
      default: 'unset: embedded Postgres under DATA_DIR',
      meaning:
        'URL of an external Postgres 15 or newer with ICU, and with the role that owns the database and runs the migrations',
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
    encryptionKeys: read({
      name: 'ENCRYPTION_KEY',
      default: 'unset: generated into DATA_DIR',
      meaning:
        '32 bytes in base64; encrypts webhook secrets and queued bodies at rest. In a comma-separated list the first key encrypts, all keys decrypt',
      parse: type.keyList,
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
    wsTokenSingleUse: read({
      name: 'WS_TOKEN_SINGLE_USE',
      default: '0',
      meaning: '1 allows each WebSocket token to open only one connection',
      parse: type.flag,
    }),
    ...signIn,
    demoSignIn: demo !== 'off' && canOfferDemo(conditions),
    ...forge,
    ...forgeApp,
    ...limits,
    ...readQueueSettings(read, cores),
    ...readOperationsSettings(read, dataDir),
    retentionDays: read({
      name: 'RETENTION_DAYS',
      default: '90',
      meaning: 'days to keep deliveries and their payloads',
      parse: type.integer(2, 3650),
    }),
    runRetentionDays: read({
      name: 'RUN_RETENTION_DAYS',
      default: 'unset: forever',
      meaning: 'days to keep runs, jobs, pull requests and reviews; the metrics of runs and jobs are kept',
      parse: type.integer(7, 3650),
    }),
  };
}

/** All settings with their defaults and meanings. */
export function documentSettings(): SettingDoc[] {
  const seen: SettingDoc[] = [];
  readSettings({}, [], seen);
  return seen;
}

function readerOf(env: NodeJS.ProcessEnv, faults: SettingFault[], seen: SettingDoc[]): Read {
  return (<T>(setting: Setting<T>): T | undefined => {
    seen.push({ name: setting.name, default: setting.default, meaning: setting.meaning });
    const given = env[setting.name]?.trim();
    if ((given === undefined || given === '') && setting.default.startsWith('unset')) return undefined;
    const value = given === undefined || given === '' ? setting.default : given;
    try {
      return setting.parse(value);
    } catch (error) {
      const shown = setting.secret ? '(hidden)' : JSON.stringify(withoutCredentials(value));
      faults.push({ name: setting.name, problem: `is ${shown}, should be ${(error as Error).message}` });
      return undefined;
    }
  }) as Read;
}

/** A value may contain a password or token although the setting takes none. */
function withoutCredentials(value: string): string {
  if (!value.includes(':')) return value;
  return value.replace(/^([a-z]+:\/\/)?.*@/is, '$1(hidden)@').replace(/([?#]).+$/s, '$1(hidden)');
}

/** For `localhost` also allows 127.0.0.1, because people open either address. */
function originsOf(publicUrl: string | undefined): string[] {
  if (publicUrl === undefined) return [];
  const { origin, hostname } = new URL(publicUrl);
  return hostname === 'localhost' ? [origin, origin.replace('localhost', '127.0.0.1')] : [origin];
}
