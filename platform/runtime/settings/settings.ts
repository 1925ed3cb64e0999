import { availableParallelism } from 'node:os';
import type { Read, Setting, SettingDoc, SettingFault } from './setting.ts';
import { originFaults, readAddressSettings, readWebOrigins } from './address-settings.ts';
import { canOfferDemo, demoFaults, readDemoSetting } from './demo-settings.ts';
import { forgeAppFaults, readForgeAppSettings } from './forge-app-settings.ts';
import { forgeFaults, readForgeSettings } from './forge-settings.ts';
import { limitFaults, readLimitSettings } from './limit-settings.ts';
import { readQueueSettings } from './queue-settings.ts';
import { alarmFaults, readOperationsSettings } from './operations-settings.ts';
import { readSignInSettings, signInFaults } from './sign-in-settings.ts';
import {
  databaseFaults,
  readDatabaseSettings,
  readKeySettings,
  readRetentionSettings,
} from './storage-settings.ts';

/** Reads all settings and adds their faults to `faults`. `documentSettings` runs it without variables to list them. */
export function readSettings(
  env: NodeJS.ProcessEnv,
  faults: SettingFault[],
  seen: SettingDoc[] = [],
  cores = availableParallelism(),
) {
  const read = readerOf(env, faults, seen);
  const address = readAddressSettings(read);
  const signIn = readSignInSettings(read);
  const forge = readForgeSettings(read);
  const forgeApp = readForgeAppSettings(read);
  const limits = readLimitSettings(read);
  const demo = readDemoSetting(read);
  const database = readDatabaseSettings(read, cores);
  const webOrigins = readWebOrigins(read, address.publicUrl);
  const operations = readOperationsSettings(read, address.dataDir);
  const conditions = { ...address, ...signIn };
  const isKnown = ({ name }: SettingFault): boolean => faults.some((known) => known.name === name);
  // An invalid value reads as undefined, but must not be reported as unset.
  const combined = [
    ...signInFaults(signIn),
    ...demoFaults(demo, conditions),
    ...forgeAppFaults(forgeApp),
    ...forgeFaults({ ...forge, ...signIn, ...forgeApp }),
    ...databaseFaults(database),
    ...limitFaults({ ...limits, ...signIn }),
    ...originFaults(address.publicUrl, webOrigins),
    ...alarmFaults(operations),
  ];
  faults.push(...combined.filter((fault) => !isKnown(fault)));
  return {
    ...address,
    webOrigins,
    ...database,
    ...readKeySettings(read),
    ...signIn,
    demoSignIn: demo !== 'off' && canOfferDemo(conditions),
    ...forge,
    ...forgeApp,
    ...limits,
    ...readQueueSettings(read, cores),
    ...operations,
    ...readRetentionSettings(read),
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
