import type { Config } from '#platform/runtime/settings/config.ts';
import { makeLog } from '#platform/runtime/log.ts';
import type { DeadLetterFilter, DeadLetters } from '#server/queue/queue.ts';
import { openRuntime } from '#server/runtime.ts';
import { openQueue } from '../open-queue.ts';
import { UsageError, type Command, type OptionValues } from './command.ts';

const pageSize = 100;

const options = {
  group: { type: 'string', value: 'ID', help: 'only those of this integration' },
} as const;

const chosen = {
  positionals: '[ID…]',
  options: { ...options, all: { type: 'boolean', help: 'all of them' } },
} as const;

export function deadLetterCommands(config: () => Config): Command[] {
  const onLetters = async (work: (letters: DeadLetters) => Promise<number>): Promise<number> => {
    const settings = config();
    const log = makeLog(settings);
    const runtime = await openRuntime(settings, log);
    try {
      return await work((await openQueue(runtime, settings, log)).deadLetters);
    } finally {
      await runtime.close();
    }
  };
  const change =
    (verb: 'redrive' | 'drop', what: string): Command['run'] =>
    async (values, ids) => {
      const choice = choiceOf(values, ids);
      return onLetters(async (letters) => report(what, await changeEach(letters[verb], choice)));
    };
  return [
    {
      name: 'dead-letters list',
      summary: 'list the messages that could not be processed, one JSON line each',
      options,
      run: (values) => onLetters((letters) => list(letters, values)),
    },
    {
      name: 'dead-letters redrive',
      summary: 'put the given messages back in the queue, or all of them with --all',
      ...chosen,
      run: change('redrive', 'redriven'),
    },
    {
      name: 'dead-letters drop',
      summary: 'delete the given messages permanently, or all of them with --all',
      ...chosen,
      run: change('drop', 'dropped'),
    },
  ];
}

async function list(letters: DeadLetters, values: OptionValues): Promise<number> {
  const { group } = values;
  let after: string | undefined;
  do {
    const page = await letters.list({
      limit: pageSize,
      ...(typeof group === 'string' ? { groupId: group } : {}),
      ...(after === undefined ? {} : { after }),
    });
    for (const message of page) process.stdout.write(`${JSON.stringify(message)}\n`);
    after = page.length === pageSize ? page.at(-1)?.messageId : undefined;
  } while (after !== undefined);
  return 0;
}

/** A part of the selection. A named part must exist. */
type Choice = { filter: DeadLetterFilter; name: string | undefined }[];

/** Selects by IDs, group or `--all`. Without any of them nothing is selected, to prevent accidents. */
function choiceOf(values: OptionValues, ids: string[]): Choice {
  const { group, all } = values;
  if (ids.length > 0 && all === true) throw new UsageError('Give message IDs or --all, not both');
  const within = typeof group === 'string' ? { groupId: group } : {};
  const inGroup = typeof group === 'string' ? ` in the group ${group}` : '';
  if (ids.length > 0) {
    return [...new Set(ids)].map((id) => ({
      filter: { ...within, messageIds: [id] },
      name: `with the id ${id}${inGroup}`,
    }));
  }
  if (group === undefined && all !== true) throw new UsageError('Give message IDs, --group or --all');
  return [{ filter: within, name: inGroup === '' ? undefined : inGroup.trim() }];
}

interface Changed {
  count: number;
  missing: string[];
}

async function changeEach(
  change: (filter: DeadLetterFilter) => Promise<number>,
  choice: Choice,
): Promise<Changed> {
  const changed: Changed = { count: 0, missing: [] };
  for (const { filter, name } of choice) {
    const count = await change(filter);
    changed.count += count;
    if (count === 0 && name !== undefined) changed.missing.push(name);
  }
  return changed;
}

/** Fails for unknown names, after the others were processed. */
function report(what: string, { count, missing }: Changed): number {
  process.stdout.write(`${JSON.stringify({ [what]: count })}\n`);
  for (const name of missing) process.stderr.write(`There is no dead letter ${name}.\n`);
  return missing.length === 0 ? 0 : 1;
}
