import {
  taskFilters,
  type BackgroundTask,
  type BackgroundTaskPage,
  type TasksRetried,
} from '#contract/integrations/tasks.ts';
import { numberOption, UsageError, type Command, type OptionValues } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, duration, makeTerminal, type Cell } from './terminal.ts';

/** Background work of an integration, for its admins. */
export function taskCommands(env: NodeJS.ProcessEnv): Command[] {
  return [
    {
      name: 'tasks list',
      summary: 'list background work of an integration, the longest trouble first',
      options: {
        state: { type: 'string', value: 'STATE', help: `only ${taskFilters.join(', ')}` },
        kind: { type: 'string', value: 'KIND', help: 'only of this kind, such as forge-logs' },
        limit: { type: 'string', value: 'N', help: 'how many, at most 100 (default: 50)' },
        ...clientOptions,
      },
      run: (values) => list(env, values),
    },
    {
      name: 'tasks retry',
      summary: 'run the given background tasks at once, or all that fail with --all',
      positionals: '[ID…]',
      options: { all: { type: 'boolean', help: 'all that fail' }, ...clientOptions },
      run: (values, ids) => retry(env, values, ids),
    },
    {
      name: 'tasks drop',
      summary: 'drop a background task that new work requests again',
      positionals: 'ID',
      options: clientOptions,
      run: async (values, ids) => {
        const [id, ...more] = ids;
        if (id === undefined || more.length > 0) throw new UsageError('Give one task ID');
        const { api, path } = await openIntegration(env, values);
        await api.change('DELETE', `${path}/tasks/${encodeURIComponent(id)}`);
        return 0;
      },
    },
  ];
}

async function list(env: NodeJS.ProcessEnv, values: OptionValues): Promise<number> {
  const limit = numberOption(values, 'limit', { fallback: 50, min: 1, max: 100 });
  const { api, path } = await openIntegration(env, values);
  const query: Record<string, string> = { limit: String(Math.floor(limit)) };
  for (const name of ['state', 'kind']) {
    const value = values[name];
    if (typeof value === 'string') query[name] = value;
  }
  const { items } = await api.get<BackgroundTaskPage>(`${path}/tasks`, query);
  const terminal = makeTerminal(env);
  if (values['json'] === true) for (const task of items) terminal.json(task);
  else terminal.table(items.map((task) => taskRow(task, Date.now())));
  return 0;
}

async function retry(env: NodeJS.ProcessEnv, values: OptionValues, ids: readonly string[]): Promise<number> {
  const isAll = values['all'] === true;
  if (isAll === ids.length > 0) throw new UsageError('Give task IDs or --all');
  const { api, path } = await openIntegration(env, values);
  const answer = await api.change<TasksRetried>('POST', `${path}/tasks/retry`, isAll ? {} : { taskIds: ids });
  makeTerminal(env).json(answer);
  const left = new Set(ids).size - (answer?.retried ?? 0);
  if (left <= 0) return 0;
  process.stderr.write(`${left} not retried: there is no such task, or it runs.\n`);
  return 1;
}

function taskRow(
  { taskId, title, subject, state, failures, since, nextAt, error }: BackgroundTask,
  now: number,
): Cell[] {
  const isFailing = failures > 0;
  const ago = since === null ? '' : duration(Math.max(0, now - Date.parse(since)));
  const wait = nextAt === null ? 0 : Date.parse(nextAt) - now;
  return [
    { text: taskId, colour: 'grey' },
    { text: isFailing ? `failing ${failures}×` : cell(state), colour: isFailing ? 'red' : undefined },
    { text: ago === '' ? '' : `for ${ago}` },
    { text: wait > 0 ? `next in ${duration(wait)}` : '', colour: 'grey' },
    { text: cell(title, 40) },
    { text: cell(subject, 40), colour: 'grey' },
    { text: cell(error, 120) },
  ];
}
