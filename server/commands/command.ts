import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** One command of the command line. Writes results to standard output, everything else to standard error. */
export interface Command {
  /** As typed, such as `integration create`. */
  name: string;
  summary: string;
  options: Record<string, CommandOption>;
  /** Positional arguments as shown in the help, such as `[ID…]`. Default: none allowed. */
  positionals?: string;
  /** Resolves to the exit code: 0 for success, 1 for failure. Throws UsageError (exit code 2) for wrong usage. */
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

/** @throws UsageError for unknown options, missing values or unexpected arguments. */
export function parseOptions(
  command: Command,
  args: string[],
): { values: OptionValues; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean' } };
  for (const [name, option] of Object.entries(command.options)) options[name] = { type: option.type };
  try {
    const { values, positionals } = parseArgs({
      args,
      options,
      allowPositionals: command.positionals !== undefined,
    });
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
  const usage = [command.name, ...(command.positionals === undefined ? [] : [command.positionals])].join(' ');
  return [
    `forgewatch ${usage}: ${command.summary}`,
    ...(rows.length > 0 ? ['', ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)] : []),
    '',
  ].join('\n');
}

export function requiredText(values: OptionValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

/** A number up to `max`, at least `min` or else above 0. Returns `fallback` when the option is missing. */
export function numberOption(
  values: OptionValues,
  name: string,
  { fallback, min, max }: { fallback: number; min?: number; max: number },
): number {
  const value = values[name];
  if (value === undefined) return fallback;
  const number = value === '' ? NaN : Number(value);
  if (Number.isFinite(number) && number <= max && (min === undefined ? number > 0 : number >= min))
    return number;
  throw new UsageError(
    `--${name} takes a number ${min === undefined ? `above 0, at most ${max}` : `from ${min} to ${max}`}`,
  );
}
