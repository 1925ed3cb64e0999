import { failedChecksText, verdictText } from '#contract/failures/check-verdict.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { Check, PullRequestDetail } from '#contract/runs/pull-requests.ts';
import { UsageError, type Command } from '#server/commands/command.ts';
import { clientOptions, openIntegration } from './api.ts';
import { runRow } from './runs.ts';
import { cell, duration, makeTerminal, type Terminal } from './terminal.ts';

/** A pull request with the checks of its newest commit. */
export function pullRequestCommand(env: NodeJS.ProcessEnv): Command {
  return {
    name: 'pr',
    summary: 'show a pull request: its checks, why they fail, and whether they fail elsewhere too',
    positionals: 'NUMBER',
    options: {
      repository: {
        type: 'string',
        value: 'TEXT',
        help: 'the repository, if several have a pull request with the number',
      },
      ...clientOptions,
    },
    run: async (values, args) => {
      const [number, ...others] = args;
      if (number === undefined || others.length > 0 || !/^\d{1,15}$/.test(number))
        throw new UsageError('Pass the number of one pull request');
      const { api, path } = await openIntegration(env, values);
      const { repository } = values;
      const detail = await api.get<PullRequestDetail>(`${path}/pull-requests/${number}`, {
        repository: typeof repository === 'string' ? repository : undefined,
      });
      const terminal = makeTerminal(env);
      if (values['json'] === true) terminal.json(detail);
      else print(terminal, detail);
      return 0;
    },
  };
}

function print(
  terminal: Terminal,
  { pullRequest, requiredChecks, greenToMergeMs, commits, mergeQueue }: PullRequestDetail,
): void {
  const { number, title, repository, headBranch, baseBranch, url } = pullRequest;
  terminal.line(`#${number} ${cell(title, 200)}`);
  const branches = `${cell(headBranch, 100)} into ${cell(baseBranch, 100)}`;
  terminal.line(terminal.paint(`${cell(repository, 100)}, ${branches}`, 'grey'));
  if (url !== null) terminal.line(terminal.paint(cell(url, 2000), 'grey'));
  const failed = failedChecksText(commits[0]?.checks ?? []);
  if (failed !== null) terminal.line(failed);
  if (greenToMergeMs !== null)
    terminal.line(`Merged ${duration(greenToMergeMs)} after its checks had passed`);
  const required = requiredChecks.checks.map(({ name, state }) => `${cell(name, 100)} ${state}`);
  if (requiredChecks.state !== 'known') terminal.line('Required checks are not known.');
  else terminal.line(required.length === 0 ? 'No check is required.' : `Required: ${required.join(', ')}`);
  const checks = commits[0]?.checks ?? [];
  printChecks(terminal, `Checks of ${cell(commits[0]?.sha.slice(0, 7))}`, checks);
  if (mergeQueue.length > 0) printChecks(terminal, 'Merge queue', mergeQueue);
}

function printChecks(terminal: Terminal, title: string, checks: readonly Check[]): void {
  terminal.line(`\n${title}`);
  if (checks.length === 0) terminal.line('No workflow has run.');
  terminal.table(checks.map(({ run }) => runRow(run)));
  for (const { jobs, verdict } of checks) {
    if (verdict !== null) terminal.line(`  ${cell(verdictText(verdict), 200)}`);
    for (const job of jobs.filter(({ conclusion }) => isFailed(conclusion))) {
      terminal.line(`\n${cell(job.name, 100)}`);
      if (job.failure !== null) terminal.line(`  ${terminal.paint(cell(job.failure.errorLine, 500), 'red')}`);
      if (job.verdict !== null) terminal.line(`  ${cell(verdictText(job.verdict), 200)}`);
    }
  }
}
