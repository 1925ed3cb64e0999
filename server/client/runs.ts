import { runFacets } from '#contract/runs/run-facets.ts';
import type { WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import { numberOption, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { cell, duration, makeTerminal, outcomeCell, type Cell } from './terminal.ts';

const filterHelp = {
  repository: 'only of this repository, such as octo/shop',
  workflow: 'only of this workflow',
  branch: 'only of this branch',
  status: 'only with this status or conclusion, such as in_progress',
  conclusion: 'only with this conclusion, such as failure',
  actor: 'only of this person',
  event: 'only of this event, such as push',
} as const;

export function runsCommand(env: NodeJS.ProcessEnv): Command {
  const filters = Object.fromEntries(
    runFacets.map((facet) => [facet, { type: 'string' as const, value: 'TEXT', help: filterHelp[facet] }]),
  );
  return {
    name: 'runs',
    summary: 'list workflow runs, newest first',
    options: {
      ...filters,
      q: {
        type: 'string',
        value: 'TEXT',
        help: 'only with this number, pull request or SHA, or these words in title, error, branch or actor',
      },
      limit: { type: 'string', value: 'N', help: 'how many, at most 100 (default: 20)' },
      ...clientOptions,
    },
    run: async (values) => {
      const limit = numberOption(values, 'limit', { fallback: 20, min: 1, max: 100 });
      const { api, path } = await openIntegration(env, values);
      const query: Record<string, string | undefined> = { limit: String(Math.floor(limit)) };
      for (const name of [...runFacets, 'q']) {
        const value = values[name];
        if (typeof value === 'string') query[name] = value;
      }
      const { items } = await api.get<WorkflowRunPage>(`${path}/workflows`, query);
      const terminal = makeTerminal(env);
      if (values['json'] === true) for (const run of items) terminal.json(run);
      else terminal.table(items.map(runRow));
      return 0;
    },
  };
}

export function runRow(run: WorkflowRun): Cell[] {
  return [
    outcomeCell(run),
    { text: String(run.runId) },
    { text: cell(run.workflowName ?? run.workflowPath, 30) },
    { text: cell(run.repository, 40), colour: 'grey' },
    { text: cell(run.headBranch, 30) },
    { text: cell(run.headSha?.slice(0, 7)), colour: 'grey' },
    { text: duration(run.durationMs), colour: 'grey' },
    { text: cell(run.title) },
  ];
}
