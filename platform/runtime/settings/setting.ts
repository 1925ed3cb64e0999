import type { SettingType } from './setting-types.ts';

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

export interface Setting<T> extends SettingDoc {
  parse: SettingType<T>;
  secret?: true;
}

export type Read = {
  <T>(setting: Setting<T> & { default: `unset${string}` }): T | undefined;
  <T>(setting: Setting<T>): T;
};
