import type { Config } from '#platform/runtime/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import type { DeadLetterFilter, DeadLetters } from '#server/queue/queue.ts';
import { openDeployment } from '../deployment.ts';
import { openQueue } from '../open-queue.ts';
import { UsageError, type Command, type OptionValues } from './command.ts';

const pageSize = 100;

const options = {
  group: { type: 'string', value: 'ID', help: 'only those of this integration' },
} as const;

export function deadLetterCommands(config: () => Config): Command[] {
  const onLetters =
    (work: (letters: DeadLetters, values: OptionValues, args: string[]) => Promise<void>): Command['run'] =>
    async (values, args) => {
      const settings = config();
      const log = makeLog(settings);
      const deployment = await openDeployment(settings, log);
      try {
        await work(openQueue(deployment, settings, log).deadLetters, values, args);
        return 0;
      } finally {
        await deployment.close();
      }
    };
  return [
    {
      name: 'dead-letters list',
      summary: 'one JSON line for each message that could not be processed',
      options,
      run: onLetters(list),
    },
    {
      name: 'dead-letters redrive',
      summary: 'queue the named messages again, or with --all every one',
      options: { ...options, all: { type: 'boolean', help: 'all of them' } },
      run: onLetters(async (letters, values, args) =>
        report('redriven', await letters.redrive(filterOf(values, args))),
      ),
    },
    {
      name: 'dead-letters drop',
      summary: 'delete the named messages for good, or with --all every one',
      options: { ...options, all: { type: 'boolean', help: 'all of them' } },
      run: onLetters(async (letters, values, args) =>
        report('dropped', await letters.drop(filterOf(values, args))),
      ),
    },
  ];
}

async function list(letters: DeadLetters, values: OptionValues): Promise<void> {
  const { group } = values;
  let after: string | undefined;
  do {
    const page = await letters.list({
      limit: pageSize,
      ...(typeof group === 'string' ? { groupId: group } : {}),
      ...(after === undefined ? {} : { after }),
    });
    for (const letter of page) process.stdout.write(`${JSON.stringify(letter)}\n`);
    after = page.length === pageSize ? page.at(-1)?.messageId : undefined;
  } while (after !== undefined);
}

/** Everything is touched only when asked for by name, ids, or `--all`. */
function filterOf(values: OptionValues, messageIds: string[]): DeadLetterFilter {
  const { group, all } = values;
  if (messageIds.length === 0 && group === undefined && all !== true) {
    throw new UsageError('name the messages by id, or a --group, or say --all');
  }
  return {
    ...(typeof group === 'string' ? { groupId: group } : {}),
    ...(messageIds.length > 0 ? { messageIds } : {}),
  };
}

function report(what: string, count: number): void {
  process.stdout.write(`${JSON.stringify({ [what]: count })}\n`);
}
