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

/** Reads all settings, adding what is wrong to `faults`; `documentSettings` runs it on nothing to list them. */
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
    meaning: 'port to listen on; 0 takes a free one',
    parse: type.integer(0, 65535),
  });
  const publicUrl = read({
    name: 'PUBLIC_URL',
    // Another port alone is enough to run the product there.
    default: `http://localhost:${port || 8787}`,
    meaning: '`{base_url}` as browsers and the forge see it, without a path; the default follows PORT',
    parse: type.site('http:', 'https:'),
  });
  const dataDir = path.resolve(
    read({
      name: 'DATA_DIR',
      default: './data',
      meaning: 'embedded database, generated keys, log files',
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
  // One that holds something wrong is not unset.
  const together = [
    ...signInFaults(signIn),
    ...demoFaults(demo, conditions),
    ...forgeAppFaults(forgeApp),
    ...forgeFaults({ ...forge, ...signIn, ...forgeApp }),
    ...limitFaults({ ...limits, ...signIn }),
  ];
  faults.push(...together.filter((fault) => !isKnown(fault)));
  return {
    host,
    port,
    publicUrl,
    webOrigins:
      read({
        name: 'WEB_ORIGINS',
        default: 'unset: origin of PUBLIC_URL',
        meaning: 'allowlist for CORS, origin check, WebSocket and sign-in redirects, comma-separated',
        parse: type.originList,
      }) ?? originsOf(publicUrl),
    dataDir,
    databaseUrl: read({
      name: 'DATABASE_URL',
      default: 'unset: embedded Postgres under DATA_DIR',
      meaning: 'an external Postgres 15 or newer, as the owner role that migrates',
      parse: type.databaseUrl,
      secret: true,
    }),
    databasePoolMax: read({
      name: 'DATABASE_POOL_MAX',
      // Those of both roles are to find room in the hundred that a Postgres gives out.
      default: String(Math.min(40, Math.max(4, cores * 2))),
      meaning: 'connections of each role and process; the default is twice the cores, from 4 to 40',
      parse: type.integer(2, 500),
    }),
    encryptionKeys: read({
      name: 'ENCRYPTION_KEY',
      default: 'unset: generated into DATA_DIR',
      meaning:
        '32 bytes, base64; seals webhook secrets and queued bodies at rest. A comma-separated list: the first seals, all open',
      parse: type.keyList,
      secret: true,
    }),
    wsTokenSecret: read({
      name: 'WS_TOKEN_SECRET',
      default: 'unset: derived from ENCRYPTION_KEY',
      meaning:
        '32 bytes, base64; signs WebSocket tokens. A comma-separated list: the first signs, all verify',
      parse: type.keyList,
      secret: true,
    }),
    wsTokenSingleUse: read({
      name: 'WS_TOKEN_SINGLE_USE',
      default: '0',
      meaning: '1 lets each WebSocket token open one connection only',
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
      meaning: 'days deliveries are kept with their payloads',
      parse: type.integer(2, 3650),
    }),
    runRetentionDays: read({
      name: 'RUN_RETENTION_DAYS',
      default: 'unset: keep',
      meaning: 'days runs and jobs are kept; the numbers of dashboards stay',
      parse: type.integer(7, 3650),
    }),
  };
}

/** The settings with their defaults and meanings, in the order of the reference. */
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

/** Somebody may have put a password or a token into an address that takes none. */
function withoutCredentials(value: string): string {
  if (!value.includes(':')) return value;
  return value.replace(/^([a-z]+:\/\/)?.*@/is, '$1(hidden)@').replace(/([?#]).+$/s, '$1(hidden)');
}

/** This machine has two names that people type alike; whoever tries the product may open either. */
function originsOf(publicUrl: string | undefined): string[] {
  if (publicUrl === undefined) return [];
  const { origin, hostname } = new URL(publicUrl);
  return hostname === 'localhost' ? [origin, origin.replace('localhost', '127.0.0.1')] : [origin];
}
