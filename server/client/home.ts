import type { Home, HomeIntegration } from '#contract/integrations/home.ts';
import type { Command } from '#server/commands/command.ts';
import { apiOf, clientOptions } from './api.ts';
import { readCredentials } from './credentials.ts';
import { runRow } from './runs.ts';
import { cell, makeTerminal, type Cell } from './terminal.ts';

/** What concerns the owner of the token in all integrations. */
export function homeCommand(env: NodeJS.ProcessEnv): Command {
  const { json } = clientOptions;
  return {
    name: 'home',
    summary: 'show your runs and pull requests, red default branches and the state of all integrations',
    options: { json },
    run: async (values) => {
      const api = apiOf(await readCredentials(env));
      const home = await api.get<Home>('/api/home');
      const terminal = makeTerminal(env);
      if (values['json'] === true) {
        terminal.json(home);
        return 0;
      }
      for (const [title, rows] of listsOf(home)) {
        if (rows.length === 0) continue;
        terminal.line(title);
        terminal.table(rows.map((row) => [{ text: ' ' }, ...row]));
        terminal.line('');
      }
      terminal.line('Integrations');
      terminal.table(home.integrations.map((one) => [{ text: ' ' }, ...integrationRow(one)]));
      return 0;
    },
  };
}

function listsOf(home: Home): [string, Cell[][]][] {
  return [
    [
      'Waits for you',
      home.waiting.map(({ incident: { repository, workflow, branch, lastFailure, failing } }) => [
        { text: cell(workflow ?? lastFailure.name), colour: 'red' },
        { text: cell(repository, 40), colour: 'grey' },
        { text: cell(branch, 30) },
        { text: cell(failing?.errorLine, 100) },
      ]),
    ],
    ['Your failed runs', home.failed.map(({ run }) => runRow(run))],
    ['Your running runs', home.running.map(({ run }) => runRow(run))],
    [
      'Your pull requests',
      home.pullRequests.map(({ pullRequest: { number, repository, title, checks, review } }) => [
        { text: checks.state, colour: checks.state === 'failed' ? 'red' : undefined },
        { text: `#${number}` },
        { text: cell(repository, 40), colour: 'grey' },
        { text: cell(review, 20) },
        { text: cell(title, 80) },
      ]),
    ],
    [
      'Red default branches',
      home.red.map(({ workflow: { workflow, repository, branch, since, failing }, incident }) => [
        { text: cell(workflow, 30), colour: 'red' },
        { text: cell(repository, 40), colour: 'grey' },
        { text: cell(branch, 30) },
        { text: since.slice(0, 16).replace('T', ' '), colour: 'grey' },
        { text: cell(handlerOf(incident), 30) },
        { text: cell(failing?.errorLine, 100) },
      ]),
    ],
  ];
}

function handlerOf(incident: Home['red'][number]['incident']): string {
  const person = incident?.assignee ?? incident?.acknowledged?.by;
  if (person) return person.name ?? 'somebody';
  return incident?.acknowledged ? 'acknowledged' : '';
}

function integrationRow({
  integrationId,
  label,
  workflows,
  red,
  running,
  lastRunAt,
}: HomeIntegration): Cell[] {
  const isKnown = lastRunAt !== null && workflows > 0;
  const state = isKnown ? `${red} of ${workflows} red` : lastRunAt === null ? 'no runs yet' : 'no result yet';
  return [
    { text: cell(label, 40) },
    { text: state, colour: !isKnown ? 'grey' : red > 0 ? 'red' : 'green' },
    { text: lastRunAt === null ? '' : `${running} running`, colour: 'grey' },
    { text: cell(integrationId), colour: 'grey' },
  ];
}
