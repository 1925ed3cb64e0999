import type { SettingFault } from './setting.ts';

/** A fault for each unset setting of a group that must be set together, unless the whole group is unset. */
export function missingOf(settings: Record<string, unknown>): SettingFault[] {
  const names = Object.keys(settings);
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map((name) => {
    const others = names.filter((other) => other !== name).join(' and ');
    return { name, problem: `is unset, should be set together with ${others}` };
  });
}
