import { readSettings } from './settings.ts';
import type { SettingFault } from './setting.ts';

/** All settings, read once at start. Durations are in milliseconds, sizes in bytes. */
export type Config = ReturnType<typeof readSettings>;

/** Invalid settings. `message` has one line per fault and masks secrets. */
export class ConfigError extends Error {
  readonly faults: SettingFault[];

  constructor(faults: SettingFault[], options?: ErrorOptions) {
    super(faults.map((fault) => `${fault.name}: ${fault.problem}`).join('\n'), options);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads and checks all settings (docs/configuration.md), so that an operator sees all faults at once.
 * @throws ConfigError
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const faults: SettingFault[] = [];
  const config = readSettings(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
