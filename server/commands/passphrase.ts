import { passphrase } from '#platform/runtime/settings/setting-types.ts';
import { UsageError } from './command.ts';
import { hiddenLines } from './hidden-lines.ts';

/** Asks for the passphrase of a backup on the terminal, as often as there are questions. The answers must be equal. */
export async function askPassphrase(questions: readonly [string, ...string[]]): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'BACKUP_PASSPHRASE: is unset, should be the passphrase of the backup, at least 16 characters, because standard input is no terminal',
    );
  const [first = '', ...others] = await answer(questions);
  if (others.some((other) => other !== first)) throw new UsageError('The two passphrases differ.');
  try {
    return passphrase(first);
  } catch (error) {
    throw new UsageError(`The passphrase should have ${(error as Error).message}.`, { cause: error });
  }
}

async function answer(questions: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  const lines = hiddenLines();
  try {
    process.stderr.write(questions[0] ?? '');
    for await (const line of lines) {
      process.stderr.write('\n');
      answers.push(line.trim());
      const next = questions[answers.length];
      if (next === undefined) return answers;
      process.stderr.write(next);
    }
  } finally {
    lines.close();
  }
  throw new UsageError('There is no passphrase.');
}
