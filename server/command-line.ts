import { loadConfig, ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import packageJson from '../package.json' with { type: 'json' };
import { helpOf, parseOptions, UsageError, type Command } from './commands/command.ts';

const services = ['serve', 'api', 'worker'];
/** As shells report the end by SIGPIPE. */
const readerEnded = 141;

type Made = Command | Command[];
type Load<Source> = () => Promise<(source: Source) => Made>;

// Commands by their first word. They are loaded on demand, because loading all takes longer than running most of them.
const operatorFiles: Record<string, Load<() => Config>> = {
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  integration: async () => (await import('./commands/integration-create.ts')).integrationCreateCommand,
  token: async () => (await import('./commands/token-create.ts')).tokenCreateCommand,
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLetterCommands,
  'recompute-metrics': async () => (await import('./commands/recompute-metrics.ts')).recomputeMetricsCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  'rotate-key': async () => (await import('./commands/rotate-key.ts')).rotateKeyCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
};
const clientFiles: Record<string, Load<NodeJS.ProcessEnv>> = {
  login: async () => (await import('./client/login.ts')).loginCommand,
  home: async () => (await import('./client/home.ts')).homeCommand,
  health: async () => (await import('./client/health.ts')).healthCommand,
  queue: async () => (await import('./client/queue.ts')).queueCommand,
  runs: async () => (await import('./client/runs.ts')).runsCommand,
  failures: async () => (await import('./client/failures.ts')).failuresCommand,
  why: async () => (await import('./client/why.ts')).whyCommand,
  pr: async () => (await import('./client/pull-request.ts')).pullRequestCommand,
  log: async () => (await import('./client/log.ts')).logCommand,
  watch: async () => (await import('./client/watch.ts')).watchCommand,
  report: async () => (await import('./client/report.ts')).reportCommand,
  tasks: async () => (await import('./client/tasks.ts')).taskCommands,
  gate: async () => (await import('./client/gate.ts')).gateCommand,
};
const firstWords = [...services, ...Object.keys(operatorFiles), ...Object.keys(clientFiles), 'completion'];

/** The commands that begin with one of these words. */
async function commandsOf(words: readonly string[], parentEnd: AbortSignal): Promise<Command[]> {
  const config = (): Config => loadConfig(process.env);
  const loaded: Made[] = [];
  if (words.some((word) => services.includes(word)))
    loaded.push((await import('./commands/serve.ts')).serviceCommands(config, parentEnd));
  for (const word of words) {
    if (Object.hasOwn(operatorFiles, word)) loaded.push((await operatorFiles[word]?.())?.(config) ?? []);
    if (Object.hasOwn(clientFiles, word)) loaded.push((await clientFiles[word]?.())?.(process.env) ?? []);
    if (word === 'completion')
      loaded.push(
        (await import('./client/completion.ts')).completionCommand(() => commandsOf(firstWords, parentEnd)),
      );
  }
  return loaded.flat();
}

/** All commands, with their options. */
export function allCommands(): Promise<Command[]> {
  return commandsOf(firstWords, new AbortController().signal);
}

/** Runs one command as the program and sets its exit code. `parentEnd` aborts when the parent process ends and the command must end too. */
export async function runCommandLine(args: string[], parentEnd: AbortSignal): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    // The reader has ended, as `head` does. A service goes on without it.
    if (!services.includes(args[0] ?? '')) process.exit(readerEnded);
  });
  process.exitCode = await runCommand(args, parentEnd);
}

/** Runs one command. Returns the exit code: 0 for success, 1 for failure, 2 for wrong usage. */
export async function runCommand(args: string[], parentEnd: AbortSignal): Promise<number> {
  try {
    return await run(args, parentEnd);
  } catch (error) {
    if (error instanceof UsageError) return complain(2, `${error.message}\nSee: forgewatch --help`);
    if (error instanceof ConfigError) return complain(1, error.message);
    return complain(1, (error as Error).message);
  }
}

async function run(args: string[], parentEnd: AbortSignal): Promise<number> {
  if (args.length === 1 && args[0] === '--version') {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const likely = await commandsOf(args.slice(0, 1), parentEnd);
  const command = likely.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) {
    process.stderr.write(overview(likely.length > 0 ? likely : await commandsOf(firstWords, parentEnd)));
    const asked = likely.length > 0 ? args[1] : args[0];
    if (asked === '--help' || asked === 'help') return 0;
    if (args.length === 0) return 2;
    throw new UsageError(`There is no command "${args.join(' ')}"`);
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
    'Run a command with --help for its options, and forgewatch --version for the version.',
    '',
  ].join('\n');
}

function complain(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}
