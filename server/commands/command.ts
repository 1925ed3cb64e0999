import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** One verb of the command line. Results go to standard output alone, everything else to standard error. */
export interface Command {
  /** As typed, such as `integration create`. */
  name: string;
  summary: string;
  options: Record<string, CommandOption>;
  /** Resolves to the exit code: 0 done, 1 failed. Wrong usage is thrown as a UsageError (2). */
  run(values: OptionValues, args: string[]): Promise<number>;
}

interface CommandOption {
  type: 'string' | 'boolean';
  /** Shown in the help, such as `ID`. */
  value?: string;
  help: string;
}

export type OptionValues = Record<string, string | boolean | undefined>;

export class UsageError extends Error {}

/** @throws UsageError for unknown options, or a missing value. */
export function parseOptions(
  command: Command,
  args: string[],
): { values: OptionValues; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean' } };
  for (const [name, option] of Object.entries(command.options)) options[name] = { type: option.type };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as OptionValues, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

export function helpOf(command: Command): string {
  const rows = Object.entries(command.options).map(
    ([name, option]) =>
      [`--${name}${option.value === undefined ? '' : ` ${option.value}`}`, option.help] as const,
  );
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return [
    `forgewatch ${command.name}: ${command.summary}`,
    ...(rows.length > 0 ? ['', ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)] : []),
    '',
  ].join('\n');
}

export function requiredText(values: OptionValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

/** A positive number with an upper bound, or the default. */
export function numberOption(values: OptionValues, name: string, fallback: number, max: number): number {
  const value = values[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0 || number > max) {
    throw new UsageError(`--${name} takes a number above 0, at most ${max}`);
  }
  return number;
}
