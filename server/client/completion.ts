import { UsageError, type Command } from '#server/commands/command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** Prints a script that completes commands and options. `commands` are those of the whole command line. */
export function completionCommand(commands: () => Promise<Command[]>): Command {
  return {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    positionals: 'SHELL',
    options: {},
    run: async (_values, [shell, ...others]) => {
      if (!isShell(shell) || others.length > 0) throw new UsageError('Pass bash, zsh or fish');
      process.stdout.write(scripts[shell](await commands()));
      return 0;
    },
  };
}

const isShell = (text: string | undefined): text is Shell =>
  text !== undefined && Object.hasOwn(scripts, text);

const optionsOf = ({ options }: Command): string[] =>
  [...Object.keys(options), 'help'].map((name) => `--${name}`);

/** Inside single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The words that can follow what was typed: `''` is the start, `token ` the first word of `token create`. */
function nextWords(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map<string, string[]>();
  const add = (before: string, word: string): void => {
    const known = words.get(before) ?? [];
    if (!known.includes(word)) words.set(before, [...known, word]);
  };
  for (const command of commands) {
    const parts = command.name.split(' ');
    for (const [at, part] of parts.entries()) add(parts.slice(0, at).join(' '), part);
    for (const option of optionsOf(command)) add(command.name, option);
  }
  words.set('completion', ['bash', 'zsh', 'fish']);
  return words;
}

function bash(commands: readonly Command[]): string {
  const cases = [...nextWords(commands)].map(
    ([before, words]) => `    ${quoted(before)}) words=${quoted(words.join(' '))} ;;`,
  );
  return [
    '_forgewatch() {',
    '  local typed="" words="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) break ;; esac',
    '    typed="${typed:+$typed }$word"',
    '  done',
    '  case "$typed" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -F _forgewatch forgewatch',
    '',
  ].join('\n');
}

function zsh(commands: readonly Command[]): string {
  const cases = [...nextWords(commands)].map(
    ([before, words]) => `    ${quoted(before)}) next=(${words.map(quoted).join(' ')}) ;;`,
  );
  return [
    '#compdef forgewatch',
    '_forgewatch() {',
    '  local typed="" word',
    '  local -a next',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "$word" in -*) break ;; esac',
    '    typed="${typed:+$typed }$word"',
    '  done',
    '  case "$typed" in',
    ...cases,
    '  esac',
    '  compadd -- $next',
    '}',
    'compdef _forgewatch forgewatch',
    '',
  ].join('\n');
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const parts = command.name.split(' ');
    const atStart = parts.length === 1 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${parts[0]}`;
    const seen = `__fish_seen_subcommand_from ${parts.at(-1)}`;
    return [
      ...(parts.length > 1
        ? [`complete -c forgewatch -f -n __fish_use_subcommand -a ${quoted(parts[0] ?? '')}`]
        : []),
      `complete -c forgewatch -f -n ${quoted(atStart)} -a ${quoted(parts.at(-1) ?? '')} -d ${quoted(command.summary)}`,
      ...Object.entries(command.options).map(
        ([name, { help, type }]) =>
          `complete -c forgewatch -n ${quoted(seen)} -l ${name}${type === 'string' ? ' -x' : ''} -d ${quoted(help)}`,
      ),
    ];
  });
  const shells = `complete -c forgewatch -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'`;
  return `${[...lines, shells].join('\n')}\n`;
}

const scripts: Record<Shell, (commands: readonly Command[]) => string> = { bash, zsh, fish };
