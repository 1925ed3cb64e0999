import type { FailureGroupPage } from '#contract/failures/failures.ts';
import { numberOption, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, makeTerminal } from './terminal.ts';

const text = { type: 'string', value: 'TEXT' } as const;
const filters = {
  status: { ...text, help: 'open, acknowledged, flaky or ignored (default: open)' },
  repository: { ...text, help: 'only of this repository, such as octo/shop' },
  workflow: { ...text, help: 'only of this workflow' },
  branch: { ...text, help: 'only of this branch' },
  q: { ...text, help: 'only with these words in the error line or the name of the job' },
} as const;

export function failuresCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'failures',
    summary: 'list failures with the same cause as one, newest first',
    options: {
      ...filters,
      limit: { type: 'string', value: 'N', help: 'how many, at most 100 (default: 20)' },
      ...clientOptions,
    },
    run: async (values) => {
      const limit = numberOption(values, 'limit', { fallback: 20, min: 1, max: 100 });
      const { api, path } = await openIntegration(env, values);
      const query: Record<string, string> = { status: 'open', limit: String(Math.floor(limit)) };
      for (const name of Object.keys(filters)) {
        const value = values[name];
        if (typeof value === 'string') query[name] = value;
      }
      const { items } = await api.get<FailureGroupPage>(`${path}/failure-groups`, query);
      const terminal = makeTerminal(env);
      if (values['json'] === true) for (const group of items) terminal.json(group);
      else
        terminal.table(
          items.map(({ failures, lastSeenAt, repository, job, branches, errorLine }) => [
            { text: `${failures}×`, colour: 'red' },
            { text: lastSeenAt.slice(0, 16).replace('T', ' '), colour: 'grey' },
            { text: cell(repository, 40) },
            { text: cell(job, 30) },
            { text: cell(branches.join(', '), 30), colour: 'grey' },
            { text: cell(errorLine, 100) },
          ]),
        );
      return 0;
    },
  };
}
