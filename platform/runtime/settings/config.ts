import { readSettings, type SettingFault } from './settings.ts';

/** Everything the environment decides, read once at start. Durations are milliseconds, sizes bytes. */
export type Config = ReturnType<typeof readSettings>;

/** Thrown when what the environment says is not usable; `message` holds one line per fault, secrets masked. */
export class ConfigError extends Error {
  readonly faults: SettingFault[];

  constructor(faults: SettingFault[], options?: ErrorOptions) {
    super(faults.map((fault) => `${fault.name}: ${fault.problem}`).join('\n'), options);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads and checks every setting of `design/configuration.md` at once, so that an operator sees all faults in one go.
 * @throws ConfigError
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const faults: SettingFault[] = [];
  const config = readSettings(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}
