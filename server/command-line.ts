import { loadConfig, ConfigError, type Config } from '#platform/runtime/config.ts';
import { helpOf, parseOptions, UsageError, type Command } from './commands/command.ts';
import { deadLetterCommands } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { integrationCreateCommand } from './commands/integration-create.ts';
import { migrateCommand } from './commands/migrate.ts';
import { serviceCommands } from './commands/serve.ts';
import { simulateCommand } from './commands/simulate.ts';

function allCommands(config: () => Config): Command[] {
  return [
    ...serviceCommands(config),
    migrateCommand(config),
    integrationCreateCommand(config),
    simulateCommand(config),
    ...deadLetterCommands(config),
    doctorCommand(config),
  ];
}

/** Runs one command and sets the exit code: 0, 1 when it failed, 2 when it was called wrongly. */
export async function runCommandLine(args: string[]): Promise<void> {
  process.exitCode = await run(args).catch((error: unknown) => {
    if (error instanceof UsageError) return complain(2, `${error.message}\nSee: forgewatch --help`);
    if (error instanceof ConfigError) return complain(1, error.message);
    return complain(1, (error as Error).message);
  });
}

async function run(args: string[]): Promise<number> {
  const commands = allCommands(() => loadConfig(process.env));
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) {
    const wantsHelp = args.length === 0 || args[0] === '--help' || args[0] === 'help';
    process.stderr.write(overview(commands));
    if (!wantsHelp) throw new UsageError(`There is no command "${args.join(' ')}"`);
    return args.length === 0 ? 2 : 0;
  }
  const { values, positionals } = parseOptions(command, args.slice(command.name.split(' ').length));
  if (values['help'] === true) {
    process.stderr.write(helpOf(command));
    return 0;
  }
  return command.run(values, positionals);
}

function overview(commands: Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'forgewatch: monitor of workflow activity on a code forge',
    '',
    ...lines,
    '',
    'Each takes --help.',
    '',
  ].join('\n');
}

function complain(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}
