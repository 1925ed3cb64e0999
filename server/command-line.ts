import { loadConfig, ConfigError, type Config } from '#platform/runtime/settings/config.ts';
import packageJson from '../package.json' with { type: 'json' };
import { helpOf, parseOptions, UsageError, type Command } from './commands/command.ts';

interface CommandFile {
  /** First words of its commands. */
  firstWords: readonly string[];
  load(config: () => Config, parentEnd: AbortSignal): Promise<Command[]>;
}

const services = ['serve', 'api', 'worker'];
/** As shells report the end by SIGPIPE. */
const readerEnded = 141;

/** Loaded on demand, because loading all commands takes longer than running most of them. */
const files: readonly CommandFile[] = [
  {
    firstWords: services,
    load: async (config, parentEnd) =>
      (await import('./commands/serve.ts')).serviceCommands(config, parentEnd),
  },
  {
    firstWords: ['migrate'],
    load: async (config) => [(await import('./commands/migrate.ts')).migrateCommand(config)],
  },
  {
    firstWords: ['integration'],
    load: async (config) => [
      (await import('./commands/integration-create.ts')).integrationCreateCommand(config),
    ],
  },
  {
    firstWords: ['token'],
    load: async (config) => [(await import('./commands/token-create.ts')).tokenCreateCommand(config)],
  },
  {
    firstWords: ['simulate'],
    load: async (config) => [(await import('./commands/simulate.ts')).simulateCommand(config)],
  },
  {
    firstWords: ['dead-letters'],
    load: async (config) => (await import('./commands/dead-letters.ts')).deadLetterCommands(config),
  },
  {
    firstWords: ['recompute-metrics'],
    load: async (config) => [
      (await import('./commands/recompute-metrics.ts')).recomputeMetricsCommand(config),
    ],
  },
  {
    firstWords: ['backup'],
    load: async (config) => [(await import('./commands/backup.ts')).backupCommand(config)],
  },
  {
    firstWords: ['restore'],
    load: async (config) => [(await import('./commands/restore.ts')).restoreCommand(config)],
  },
  {
    firstWords: ['rotate-key'],
    load: async (config) => [(await import('./commands/keys/rotate-key.ts')).rotateKeyCommand(config)],
  },
  {
    firstWords: ['login'],
    load: async () => [(await import('./client/login.ts')).loginCommand(process.env)],
  },
  {
    firstWords: ['home'],
    load: async () => [(await import('./client/home.ts')).homeCommand(process.env)],
  },
  {
    firstWords: ['runs'],
    load: async () => [(await import('./client/runs.ts')).runsCommand(process.env)],
  },
  {
    firstWords: ['failures'],
    load: async () => [(await import('./client/failures.ts')).failuresCommand(process.env)],
  },
  {
    firstWords: ['why'],
    load: async () => [(await import('./client/why.ts')).whyCommand(process.env)],
  },
  {
    firstWords: ['log'],
    load: async () => [(await import('./client/log.ts')).logCommand(process.env)],
  },
  {
    firstWords: ['watch'],
    load: async () => [(await import('./client/watch.ts')).watchCommand(process.env)],
  },
  {
    firstWords: ['report'],
    load: async () => [(await import('./client/report.ts')).reportCommand(process.env)],
  },
  {
    firstWords: ['tasks'],
    load: async () => (await import('./client/tasks.ts')).taskCommands(process.env),
  },
  {
    firstWords: ['gate'],
    load: async () => [(await import('./client/gate.ts')).gateCommand(process.env)],
  },
  {
    firstWords: ['completion'],
    load: async (_config, parentEnd) => [
      (await import('./client/completion.ts')).completionCommand(() => commandsOf(files, parentEnd)),
    ],
  },
  {
    firstWords: ['doctor'],
    load: async (config) => [(await import('./commands/doctor.ts')).doctorCommand(config)],
  },
];

async function commandsOf(chosen: readonly CommandFile[], parentEnd: AbortSignal): Promise<Command[]> {
  const loaded = await Promise.all(chosen.map(({ load }) => load(() => loadConfig(process.env), parentEnd)));
  return loaded.flat();
}

/**
 * Runs one command and sets the exit code: 0 for success, 1 for failure, 2 for wrong usage. `parentEnd` aborts when the
 * parent process ends and the command must end too.
 */
export async function runCommandLine(args: string[], parentEnd: AbortSignal): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    // The reader has ended, as `head` does. A service goes on without it.
    if (!services.includes(args[0] ?? '')) process.exit(readerEnded);
  });
  process.exitCode = await run(args, parentEnd).catch((error: unknown) => {
    if (error instanceof UsageError) return complain(2, `${error.message}\nSee: forgewatch --help`);
    if (error instanceof ConfigError) return complain(1, error.message);
    return complain(1, (error as Error).message);
  });
}

async function run(args: string[], parentEnd: AbortSignal): Promise<number> {
  if (args.length === 1 && args[0] === '--version') {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  }
  const likely = await commandsOf(
    files.filter(({ firstWords }) => firstWords.includes(args[0] ?? '')),
    parentEnd,
  );
  const command = likely.find(({ name }) => name.split(' ').every((word, index) => args[index] === word));
  if (command === undefined) {
    process.stderr.write(overview(likely.length > 0 ? likely : await commandsOf(files, parentEnd)));
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
